import { createStore } from './store.ts'

/** What the page is doing for the user right now, innermost last; empty while it waits for the user. */
export const processing = createStore<readonly string[]>([])

/** Shows the full-screen overlay with `label` for as long as `action` takes. Gives what it gives, throws what it throws. */
export async function whileProcessing<Result>(label: string, action: () => Promise<Result>): Promise<Result> {
  processing.set([...processing.get(), label])
  try {
    return await action()
  } finally {
    const labels = [...processing.get()]
    labels.splice(labels.lastIndexOf(label), 1)
    processing.set(labels)
  }
}
