import { createStore } from '../ui/store.ts'

/** The element that holds the current view. */
export const VIEW_ID = 'view'

/** What the page is doing for the user right now, innermost last; empty while it waits for the user. */
export const processing = createStore<readonly string[]>([])

/** Gives the keyboard to the current view, because what had it is about to go. */
export function focusView(): void {
  requestAnimationFrame(() => document.getElementById(VIEW_ID)?.focus({ preventScroll: true }))
}

/** Runs an action during which the page cannot be used, and gives the keyboard back to where it was, or to the view where that is gone. */
export async function keepingFocus<Result>(action: () => Promise<Result>): Promise<Result> {
  const focused = document.activeElement
  try {
    return await action()
  } finally {
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return
      if (focused instanceof HTMLElement) focused.focus()
      if (document.activeElement === document.body) focusView()
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
