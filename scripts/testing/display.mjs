import { seconds, testsText } from './parts.mjs'

/** How often the progress is printed where a line cannot be rewritten. */
const LINE_MILLIS = 15_000
/** And where it can be. */
const REWRITE_MILLIS = 500
/** Lines of a failure's message that are shown at once; the end of the run shows all. */
const MESSAGE_LINES = 6
const FILES_NAMED = 3

/** @typedef {{ title: string, tally: import('./test-events.mjs').Tally }} Running */

/** Shows on standard error how `npm test` goes: what has ended, failures at once, and what runs now. */
export class Display {
  #began = Date.now()
  /** @type {Running[]} */
  #running = []
  #statusShown = false
  #timer = setInterval(() => this.#showStatus(), process.stderr.isTTY ? REWRITE_MILLIS : LINE_MILLIS)

  /** @param {Running} running */
  begin(running) {
    this.#running.push(running)
  }

  /** @param {string} title */
  end(title) {
    this.#running = this.#running.filter((running) => running.title !== title)
  }

  /** @param {import('./parts.mjs').Outcome} outcome */
  ended(outcome) {
    if (outcome.missing !== undefined) return this.#print(`  - ${outcome.title}: not run, since "${outcome.missing}" failed`)
    return this.#print(`  ${outcome.failure ? '✗' : '✓'} ${outcome.title.padEnd(32)} ${seconds(outcome.seconds)}${testsText(outcome)}`)
  }

  /** @param {import('./test-events.mjs').FailedTest} failure */
  failed({ name, message }) {
    const lines = message.split('\n').slice(0, MESSAGE_LINES)
    this.#print([`  ✗ ${name}`, ...lines.map((line) => `      ${line}`)].join('\n'))
  }

  stop() {
    clearInterval(this.#timer)
    this.#clear()
  }

  /** @param {string} text */
  #print(text) {
    this.#clear()
    process.stderr.write(`${text}\n`)
  }

  #showStatus() {
    const status = this.#running.map(statusOf).join(' | ')
    if (status === '') return
    const line = `  … ${Math.round((Date.now() - this.#began) / 1000)} s  ${status}`
    this.#clear()
    if (!process.stderr.isTTY) return void process.stderr.write(`${line}\n`)
    process.stderr.write(line.slice(0, (process.stderr.columns || 80) - 1))
    this.#statusShown = true
  }

  #clear() {
    if (this.#statusShown) process.stderr.write('\r\u001B[K')
    this.#statusShown = false
  }
}

/** @param {Running} running */
function statusOf({ title, tally: { done, total, units, failures, running } }) {
  const failed = failures.length > 0 ? `, ${failures.length} failed` : ''
  const files = [...new Set(running)].slice(0, FILES_NAMED)
  return `${title}: ${done} of ${total} ${units}${failed}${files.length > 0 ? `; ${files.join(', ')}` : ''}`
}
