import { createStore } from '../../ui/store.ts'

/** The sentence in the mobile wallet dialog; undefined while it is closed. */
export const mobileProblem = createStore<string | undefined>(undefined)
