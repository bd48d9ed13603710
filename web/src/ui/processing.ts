import { createStore } from './store.ts'

/** What the page is doing for the user right now, innermost last; empty while it waits for the user. */
export const processing = createStore<readonly string[]>([])

/** Runs an action during which the page cannot be used, and gives the keyboard back to where it was. */
async function keepingFocus<Result>(action: () => Promise<Result>): Promise<Result> {
  const focused = document.activeElement
  try {
    return await action()
  } finally {
    requestAnimationFrame(() => {
      if (focused instanceof HTMLElement && focused.isConnected && document.activeElement === document.body) focused.focus()
    })
  }
}

/** Shows the full-screen overlay with `label` for as long as `action` takes. Gives what it gives, throws what it throws. */
export async function whileProcessing<Result>(label: string, action: () => Promise<Result>): Promise<Result> {
  processing.set([...processing.get(), label])
  try {
    return await keepingFocus(action)
  } finally {
    const labels = [...processing.get()]
    labels.splice(labels.lastIndexOf(label), 1)
    processing.set(labels)
  }
}
