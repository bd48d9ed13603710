import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

/** The folder of the checkout. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The folder in which scripts keep files between runs. */
const cacheFolder = join(root, '.cache')

/**
 * The parent of every program that a script runs. Its input is a pipe from the script: when that closes, because the script ended or
 * was killed, it kills the program, so that no install goes on beneath the next one. It ignores the signals that a terminal sends to
 * all its processes when it closes.
 */
const SUPERVISOR = `
trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
(read -r _ <&3; kill -KILL "$program") >/dev/null 2>&1 &
reader=$!
exec 3<&-
wait "$program"
code=$?
kill -KILL "$reader" 2>/dev/null
exit "$code"
`

/** One empty file for each running supervisor, named by its process id and that of the script that started it. */
const runningFolder = join(cacheFolder, 'running')
/** Ample, because they are killed. Only an unrelated process that has since received the same id takes this long. */
const LEFTOVER_MILLIS = 10_000
const POLL_MILLIS = 50

/** @typedef {{ code: number, output: string }} Result */

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => boolean }} RunOptions `onLine` takes a line of the program out of its output by returning true */

/**
 * Runs a Node.js program to its end without showing its output.
 *
 * @param {string[]} command the program's file and its arguments
 * @param {RunOptions} [options]
 * @returns {Promise<Result>}
 */
export async function runNode(command, options) {
  return run([process.execPath, ...command], options)
}

/**
 * Runs a program to its end without showing its output.
 *
 * @param {string[]} command
 * @param {RunOptions} [options]
 * @returns {Promise<Result>}
 */
export async function run(command, { cwd = root, env = {}, onLine = () => false } = {}) {
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'supervisor', ...command], { cwd, env: { ...process.env, NO_COLOR: '1', ...env } })
  const record = recordSupervisor(child.pid)
  let output = ''
  const take = (/** @type {string} */ line) => onLine(line) || (output += `${line}\n`)
  createInterface({ input: child.stdout }).on('line', take)
  createInterface({ input: child.stderr }).on('line', take)
  try {
    return await new Promise((done, fail) => {
      child.on('error', fail)
      child.on('close', (code) => done({ code: code ?? 1, output: stripVTControlCharacters(output) }))
    })
  } finally {
    rmSync(record, { force: true })
  }
}

/** @param {number | undefined} supervisor its process id */
function recordSupervisor(supervisor) {
  mkdirSync(runningFolder, { recursive: true })
  const record = join(runningFolder, `${supervisor}-${process.pid}`)
  writeFileSync(record, '')
  return record
}

/**
 * Waits for what killed scripts left running. Their supervisors are about to kill it, but until then an `npm ci` among it would
 * delete files that the next one has just written.
 */
export async function waitForLeftovers() {
  const deadline = Date.now() + LEFTOVER_MILLIS
  for (const record of existsSync(runningFolder) ? readdirSync(runningFolder) : []) {
    const [supervisor = 0, script = 0] = record.split('-').map(Number)
    if (isAlive(script)) continue
    while (isAlive(supervisor) && Date.now() < deadline) await delay(POLL_MILLIS)
    if (isWritable(runningFolder)) rmSync(join(runningFolder, record), { force: true })
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Runs the npm that started us, else the one on the path.
 *
 * @param {string[]} command
 * @returns {Promise<Result>}
 */
export async function runNpm(command) {
  const npm = process.env.npm_execpath
  return npm && basename(npm) === 'npm-cli.js' ? runNode([npm, ...command]) : run(['npm', ...command])
}

/** A step of a script failed. */
export class StepFailed extends Error {
  /**
   * @param {string} step
   * @param {string} output everything that its program printed
   * @param {{ repeat?: string[], counts?: import('../testing/parts.mjs').Counts }} [details] the commands that repeat just what failed, and the
   * tests that ran
   */
  constructor(step, output, { repeat = [], counts } = {}) {
    super(`${step} failed`)
    this.step = step
    this.output = output
    this.repeat = repeat
    this.counts = counts
  }
}

/**
 * @param {string} step
 * @param {Result} result
 * @throws {StepFailed} if the program did not end with code 0
 */
export function expectSuccess(step, { code, output }) {
  if (code !== 0) throw new StepFailed(step, output)
}

/**
 * @param {string} step what is about to write to the checkout
 * @param {string} command what its owner can run instead
 * @throws {StepFailed} if this user may not write there
 */
export function requireWritableCheckout(step, command) {
  if (isWritable(root)) return
  throw new StepFailed(step, `This user may not write to ${root}. As its owner, run "${command}" there, and then start again.`)
}

/** @param {string} folder */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Prints on one line of standard error what a piece of work is and how many seconds it took.
 *
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function timed(title, work) {
  const began = Date.now()
  process.stderr.write(`  ${title} … `)
  try {
    const result = await work()
    process.stderr.write(`${seconds(began)}\n`)
    return result
  } catch (error) {
    process.stderr.write(`failed after ${seconds(began)}\n`)
    throw error
  }
}

/** @param {number} began */
function seconds(began) {
  return `${((Date.now() - began) / 1000).toFixed(1)} s`
}

/**
 * Prints the end of a failed step's output, and writes all of it to a file if this user may write one.
 *
 * @param {StepFailed} failure
 * @param {number} lines how many to print
 */
export function showFailure(failure, lines) {
  const all = failure.output.trimEnd().split('\n')
  console.error(`\n${failure.message}:\n\n${all.slice(-lines).join('\n')}\n`)
  if (all.length <= lines) return
  const file = join(cacheFolder, `${failure.step.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.log`)
  try {
    mkdirSync(cacheFolder, { recursive: true })
    writeFileSync(file, failure.output)
    console.error(`The whole output is in ${relative(process.cwd(), file)}.\n`)
  } catch {
    console.error(`The whole output could not be written to ${file}.\n`)
  }
}
