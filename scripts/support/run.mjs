import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

/** The folder of the checkout. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** What scripts keep between runs. */
export const cacheFolder = join(root, '.cache')

/**
 * Parent of every program that a script runs. Its input is a pipe from the script: when that closes, by the script's death
 * of any kind, the program is killed, so an install never goes on beneath the next one. What a terminal sends to everybody when
 * it closes must not end the parent before that.
 */
const KEEPER = `
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

const notesFolder = join(cacheFolder, 'running')
/** Ample: they are killed. Only a process of another program that has taken over the number is waited for this long. */
const ORPHAN_MILLIS = 10_000
const LOOK_AGAIN_MILLIS = 50

/** @typedef {{ code: number, output: string }} Result */

/**
 * Runs a program of Node.js to its end without showing its output.
 *
 * @param {string[]} command the program's file and what is passed to it
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Result>}
 */
export async function runNode(command, { cwd = root, env = {} } = {}) {
  return run([process.execPath, ...command], { cwd, env })
}

/**
 * Runs a program to its end without showing its output.
 *
 * @param {string[]} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Result>}
 */
export async function run(command, { cwd = root, env = {} } = {}) {
  const child = spawn('/bin/sh', ['-c', KEEPER, 'keeper', ...command], { cwd, env: { ...process.env, NO_COLOR: '1', ...env } })
  const note = noteKeeper(child.pid)
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  try {
    return await new Promise((done, fail) => {
      child.on('error', fail)
      child.on('close', (code) => done({ code: code ?? 1, output: stripVTControlCharacters(output) }))
    })
  } finally {
    rmSync(note, { force: true })
  }
}

/**
 * Leaves a note of a keeper and of us, its parent, for `untilOrphansEnded`.
 *
 * @param {number | undefined} keeper
 */
function noteKeeper(keeper) {
  mkdirSync(notesFolder, { recursive: true })
  const note = join(notesFolder, `${keeper}-${process.pid}`)
  writeFileSync(note, '')
  return note
}

/**
 * Waits for programs of scripts that were killed: each is being ended by its keeper, but until it is, an `npm ci` among them
 * would pull the files away from under the next one.
 */
export async function untilOrphansEnded() {
  const deadline = Date.now() + ORPHAN_MILLIS
  for (const note of existsSync(notesFolder) ? readdirSync(notesFolder) : []) {
    const [keeper = 0, parent = 0] = note.split('-').map(Number)
    if (isAlive(parent)) continue
    while (isAlive(keeper) && Date.now() < deadline) await delay(LOOK_AGAIN_MILLIS)
    rmSync(join(notesFolder, note), { force: true })
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
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

/** A step that failed, with everything its program said. */
export class StepFailed extends Error {
  /**
   * @param {string} step
   * @param {string} output
   */
  constructor(step, output) {
    super(`${step} failed`)
    this.step = step
    this.output = output
  }
}

/**
 * Throws `StepFailed` where a program did not succeed.
 *
 * @param {string} step
 * @param {Result} result
 */
export function expectSuccess(step, { code, output }) {
  if (code !== 0) throw new StepFailed(step, output)
}

/**
 * Does a piece of work and tells on one line what it is and how long it took.
 *
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function timed(title, work) {
  const began = Date.now()
  process.stdout.write(`  ${title} … `)
  try {
    const result = await work()
    process.stdout.write(`${seconds(began)}\n`)
    return result
  } catch (error) {
    process.stdout.write(`failed after ${seconds(began)}\n`)
    throw error
  }
}

/** @param {number} began */
function seconds(began) {
  return `${((Date.now() - began) / 1000).toFixed(1)} s`
}

/**
 * Shows the end of a failed step's output, and keeps all of it in a file where one can be written.
 *
 * @param {StepFailed} failure
 * @param {number} lines how many to show
 */
export function showFailure(failure, lines) {
  console.error(`\n${failure.output.trimEnd().split('\n').slice(-lines).join('\n')}\n`)
  const file = join(cacheFolder, `${failure.step.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.log`)
  try {
    mkdirSync(cacheFolder, { recursive: true })
    writeFileSync(file, failure.output)
    console.error(`${failure.message}. All of its output is in ${relative(process.cwd(), file)}.`)
  } catch {
    console.error(`${failure.message}, and its output could not be kept in ${file}: may this user write there?`)
  }
}
