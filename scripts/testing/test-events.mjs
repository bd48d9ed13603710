/**
 * What the reporters in this folder say of a test run, as lines of JSON among the runner's output.
 *
 * @typedef {{ total: number, units: 'files' | 'tests' }} Begun how much there is to do
 * @typedef {{ started: string }} Started a test file, relative to the checkout
 * @typedef {{ name: string, message: string, repeat: string }} FailedTest `repeat` is the command that runs it alone
 * @typedef {{ ended: string, seconds: number, passed: number, skipped: number, failures: FailedTest[] }} Ended a test file or, in the browser, one of its tests
 * @typedef {Begun | Started | Ended} TestEvent
 */

/** Begins a line that is an event: a character that no program prints. */
const MARK = '\u001E'

/** @param {TestEvent} event */
export function tell(event) {
  process.stdout.write(`\n${MARK}${JSON.stringify(event)}\n`)
}

/**
 * @param {string} line
 * @returns {TestEvent | undefined} undefined for any other line
 */
export function readEvent(line) {
  return line.startsWith(MARK) ? JSON.parse(line.slice(MARK.length)) : undefined
}

/** The running total of a ring's tests. */
export class Tally {
  total = 0
  done = 0
  /** @type {'files' | 'tests'} */
  units = 'files'
  passed = 0
  skipped = 0
  /** @type {FailedTest[]} */
  failures = []
  /** The files that run now, each as often as it runs. @type {string[]} */
  running = []
  /** By file. @type {Map<string, number>} */
  seconds = new Map()

  /** @param {TestEvent} event */
  add(event) {
    if ('total' in event) Object.assign(this, event)
    else if ('started' in event) this.running.push(event.started)
    else {
      const at = this.running.indexOf(event.ended)
      if (at >= 0) this.running.splice(at, 1)
      this.done += 1
      this.passed += event.passed
      this.skipped += event.skipped
      this.failures.push(...event.failures)
      this.seconds.set(event.ended, (this.seconds.get(event.ended) ?? 0) + event.seconds)
    }
  }
}

/** @param {string} text as one word of a shell command */
export function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}
