import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** What scripts keep between runs. */
export const cacheFolder = join(root, '.cache')

/**
 * Parent of every program that a script runs. Its input is a pipe from the script: when that closes, by the script's death
 * of any kind, the program is killed, so an install never goes on beneath the next one.
 */
const KEEPER = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
(read -r _ <&3; kill -KILL "$program") >/dev/null 2>&1 &
reader=$!
exec 3<&-
trap 'kill "$program"' INT TERM
wait "$program"
code=$?
kill -KILL "$reader" 2>/dev/null
exit "$code"
`

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
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => done({ code: code ?? 1, output }))
  })
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
export async function showFailure(failure, lines) {
  console.error(`\n${failure.output.trimEnd().split('\n').slice(-lines).join('\n')}\n`)
  const file = join(cacheFolder, `${failure.step.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.log`)
  try {
    await mkdir(cacheFolder, { recursive: true })
    await writeFile(file, failure.output)
    console.error(`${failure.message}. All of its output is in ${relative(process.cwd(), file)}.`)
  } catch {
    console.error(`${failure.message}, and its output could not be kept in ${file}: may this user write there?`)
  }
}
