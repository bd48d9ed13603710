import { FIRST_VIEW_ATTRIBUTE } from '@juicebar/contract/first-view'

/** What somebody did with the first view, as `early.js` keeps it. */
interface EarlyEvent {
  type: 'click' | 'input' | 'change' | 'toggle'
  target: HTMLElement
}

declare global {
  interface Window {
    earlyEvents?: EarlyEvent[]
  }
}

/** Does what somebody wanted before the web app was there, now that it is. From now on, events reach it themselves. */
export function replayEarlyEvents(): void {
  document.querySelector(`[${FIRST_VIEW_ATTRIBUTE}]`)?.removeAttribute(FIRST_VIEW_ATTRIBUTE)
  const kept = window.earlyEvents?.splice(0) ?? []
  const last = kept.filter(({ type, target }, at) => type === 'click' || kept.findLastIndex((other) => other.target === target) === at)
  for (const { type, target } of last) {
    if (type === 'click') target.click()
    else if (target instanceof HTMLInputElement && target.type === 'radio') pressAgain(target)
    else if (target instanceof HTMLInputElement) typeAgain(target)
    else target.dispatchEvent(new Event(type, { bubbles: type === 'change' }))
  }
}

/** React hears of a radio button only when it changes. */
function pressAgain(radio: HTMLInputElement): void {
  setUnseen(radio, 'checked', false)
  radio.click()
}

/** React ignores an input event whose value it has seen already. */
function typeAgain(input: HTMLInputElement): void {
  const { value } = input
  input.value = ''
  setUnseen(input, 'value', value)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Sets a property past the one with which React watches it. */
function setUnseen(input: HTMLInputElement, property: 'checked' | 'value', value: unknown): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, property)?.set?.call(input, value)
}
