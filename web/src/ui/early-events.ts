import { FIRST_VIEW_ATTRIBUTE } from '@juicebar/contract/first-view'

/** What somebody did with what was not alive yet, as `early.js` keeps it. */
interface EarlyEvent {
  /** As `performance.now()` counts. */
  at: number
  type: 'click' | 'input' | 'change' | 'toggle'
  target: HTMLElement
  /** Of what was pressed, at that time. */
  name: string
  /** Of the field, at that time. */
  value: string
}

declare global {
  interface Window {
    earlyEvents?: EarlyEvent[]
  }
}

/** The attribute of a part that is not alive yet; `early.js` keeps what people do with it. */
export const DORMANT = 'data-dormant'

/** How long something may take to follow a press, in milliseconds. Later, nobody expects it any more. */
export const LATE_MS = 10_000
/** How often to look for such a button, in milliseconds. */
const LOOK_MS = 100

/** The parts of the first view that are not alive yet, and who waits for them. */
const dormant = new Set<Element>()
const waiting = new Set<() => void>()

let again: ReturnType<typeof setTimeout> | undefined

/** Takes note of all parts of the first view, before it comes alive. */
export function noteDormantParts(): void {
  for (const part of document.querySelectorAll(`[${DORMANT}]`)) dormant.add(part)
}

/**
 * Resolves once the whole first view is alive. What it shows must not change before: React would find something else in the page than it
 * renders, and build that part once more, without what was pressed or typed in it.
 */
export async function whenAlive(): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.add(resolve)
    forget()
    // What has not come by then will not.
    setTimeout(() => {
      dormant.clear()
      forget()
    }, LATE_MS)
  })
}

/** For a part that has come alive: from now on, events reach it themselves, and those before are made good. */
export function awaken(part: Element): void {
  part.removeAttribute(DORMANT)
  forget(part)
  replay()
}

/** Does what somebody wanted before the web app was there, now that it is. From now on, events reach it themselves. */
export function replayEarlyEvents(): void {
  document.querySelector(`[${FIRST_VIEW_ATTRIBUTE}]`)?.removeAttribute(FIRST_VIEW_ATTRIBUTE)
  forget()
  replay()
}

function forget(part?: Element): void {
  for (const other of dormant) if (other === part || !other.isConnected) dormant.delete(other)
  if (dormant.size > 0) return
  for (const resolve of waiting) resolve()
  waiting.clear()
}

/** Does what was kept, as far as what it was done with is alive; and again later, as long as a button may come for a press. */
export function replay(): void {
  clearTimeout(again)
  const { earlyEvents = [] } = window
  const found = earlyEvents.flatMap((event) => {
    const target = event.target.isConnected ? event.target : successorOf(event)
    return target && isReady(target, event) ? [{ ...event, target, event }] : []
  })
  const isOver = (event: EarlyEvent) => found.some((done) => done.event === event) || isForgotten(event)
  // Not another array: `early.js` goes on to fill this one.
  for (const event of earlyEvents.filter(isOver)) earlyEvents.splice(earlyEvents.indexOf(event), 1)
  for (const [at, { type, target, value }] of found.entries()) {
    const isLast = found.findLastIndex((other) => other.target === target) === at
    if (type === 'click') target.click()
    else if (isLast) enterAgain(target, type, value)
  }
  if (earlyEvents.some(({ target }) => !isDormant(target))) again = setTimeout(replay, LOOK_MS)
}

/** Whether an element is alive, and still what it was when it was pressed: a price may have changed. */
function isReady(target: HTMLElement, { type, name }: EarlyEvent): boolean {
  if (isDormant(target)) return false
  return type !== 'click' || (!target.matches(':disabled') && nameOf(target) === name)
}

function isDormant(element: HTMLElement): boolean {
  return element.isConnected && element.closest(`[${DORMANT}]`) !== null
}

/** Whether what was pressed is alive or gone, but could not be pressed for so long that nobody expects it any more. */
function isForgotten({ at, target }: EarlyEvent): boolean {
  return !isDormant(target) && performance.now() - at > LATE_MS
}

/**
 * The button that has taken the place of one that was pressed; undefined while there is none, or if several may be meant. One of a card is
 * of that card only.
 */
function successorOf({ type, name, target }: EarlyEvent): HTMLElement | undefined {
  if (type !== 'click' || target.closest('article')) return undefined
  const same = [...document.querySelectorAll('button')].filter((button) => nameOf(button) === name && button.checkVisibility())
  return same.length === 1 && !same[0]?.closest('article') ? same[0] : undefined
}

/** What a button says. */
export function nameOf(element: HTMLElement): string {
  return element.ariaLabel ?? element.textContent
}

function enterAgain(target: HTMLElement, type: string, value: string): void {
  if (target instanceof HTMLInputElement && target.type === 'radio') pressAgain(target)
  else if (target instanceof HTMLInputElement) typeAgain(target, value)
  else {
    if (target instanceof HTMLSelectElement) target.value = value
    target.dispatchEvent(new Event(type, { bubbles: type === 'change' }))
  }
}

/** React hears of a radio button only when it changes, and has seen it checked. */
function pressAgain(radio: HTMLInputElement): void {
  radio.checked = false
  radio.click()
}

/** React ignores an input event whose value it has seen already, so this one is set past the property with which it watches the field. */
function typeAgain(input: HTMLInputElement, value: string): void {
  input.value = ''
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}
