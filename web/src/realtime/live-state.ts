import { createStore } from '../ui/store.ts'

/** live: changes arrive by themselves. reconnecting: the stream is down, pages ask again every few seconds until it is back. */
export type LiveState = 'connecting' | 'live' | 'reconnecting'

/** Whether this tab is told of changes, through its own stream or another tab's. */
export const liveState = createStore<LiveState>('connecting')
