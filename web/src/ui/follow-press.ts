import { nameOf, replay } from './early-events.ts'

/** For a press on what may be replaced before it ends: then the button that has taken its place is clicked. */
export function followPress({ target, button: which }: Pick<PointerEvent, 'target' | 'button'>): void {
  const button = target instanceof Element ? target.closest('button') : null
  if (!button || which !== 0) return
  const over = new AbortController()
  const end = ({ type }: Event) => {
    over.abort()
    // While it is there, the browser reports the click.
    if (type === 'pointercancel' || button.isConnected) return
    window.earlyEvents?.push({ at: performance.now(), type: 'click', target: button, name: nameOf(button), value: '' })
    replay()
  }
  for (const type of ['pointerup', 'pointercancel']) window.addEventListener(type, end, { signal: over.signal })
}
