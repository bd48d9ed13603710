import { FIRST_VIEW_ATTRIBUTE } from '@juicebar/contract/first-view'
import { useEffect, useRef } from 'react'

/** What somebody did with the first view, as `early.js` keeps it. */
interface EarlyEvent {
  type: 'click' | 'input' | 'change' | 'toggle'
  target: HTMLElement
  /** Of the field, at that time. */
  value: string
}

declare global {
  interface Window {
    earlyEvents?: EarlyEvent[]
  }
}

/** The attribute of what is alive later than the rest of the page, because its code is downloaded on its own. */
const LATER = 'data-alive-later'

/** How long a part may take to arrive that takes the place of what was pressed, and how often to look for it, in milliseconds. */
const LATE_MS = 10_000
const LOOK_MS = 100

/** The parts of the first view that are not alive yet, and who waits for them. */
const dormant = new Set<Element>()
let wake = () => {}

/**
 * Resolves once the whole first view is alive. What it shows must not change before: React would find something else in the page than it
 * renders, and build that part once more, without what was pressed or typed in it.
 */
export async function whenAlive(): Promise<void> {
  awaken(null)
  if (dormant.size === 0) return
  await new Promise<void>((resolve) => {
    wake = resolve
    setTimeout(resolve, LATE_MS)
  })
  // What has not come by now will not.
  dormant.clear()
}

/** Takes note of all parts that are alive later. */
export function noteDormantParts(): void {
  for (const part of document.querySelectorAll(`[${LATER}]`)) dormant.add(part)
}

function awaken(part: Element | null): void {
  for (const other of dormant) if (other === part || !other.isConnected) dormant.delete(other)
  if (dormant.size === 0) wake()
}

/** Does what somebody wanted before the web app was there, now that it is. From now on, events reach it themselves. */
export function replayEarlyEvents(): void {
  document.querySelector(`[${FIRST_VIEW_ATTRIBUTE}]`)?.removeAttribute(FIRST_VIEW_ATTRIBUTE)
  replay((target) => (target.isConnected && target.closest(`[${LATER}]`) === null ? target : undefined))
  const timer = setInterval(() => replay(successorOf), LOOK_MS)
  setTimeout(() => clearInterval(timer), LATE_MS)
}

/** For an element that is alive later than the rest of the page: marks it, and does what somebody wanted with it. */
export function useLateReplay() {
  const ref = useRef<HTMLDivElement & HTMLElement>(null)
  useEffect(() => {
    replay((target) => (ref.current?.contains(target) ? target : undefined))
    awaken(ref.current)
  }, [])
  return { ref, [LATER]: '' }
}

/** The button that has taken the place of one that was pressed. */
function successorOf(target: HTMLElement): HTMLElement | undefined {
  if (target.isConnected) return undefined
  return [...document.querySelectorAll('button')].find(({ textContent }) => textContent === target.textContent)
}

/** Does what was kept, as far as `find` finds the element to do it with. */
function replay(find: (target: HTMLElement) => HTMLElement | undefined): void {
  const { earlyEvents = [] } = window
  const found = earlyEvents.flatMap((event) => {
    const target = find(event.target)
    return target ? [{ ...event, target, event }] : []
  })
  window.earlyEvents = earlyEvents.filter((event) => !found.some((done) => done.event === event))
  for (const [at, { type, target, value }] of found.entries()) {
    const isLast = found.findLastIndex((other) => other.target === target) === at
    if (type === 'click') target.click()
    else if (isLast) enterAgain(target, type, value)
  }
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
