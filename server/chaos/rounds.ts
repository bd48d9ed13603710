import { execFile } from 'node:child_process'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

import { ROUND_PURCHASES } from './arguments.ts'
import { type ChaosReport, row } from './report.ts'
import { runChaos } from './run-chaos.ts'
import { type ChaosOptions } from './scenario.ts'
import { singleScenario } from './single-scenario.ts'

/** What is kept of a round, one JSON object a line. */
interface Round extends ChaosReport {
  seed: number
  /** Of the code that ran. */
  commit: string
}

interface RoundsOptions {
  /** Its purchases are those of all rounds, and its seed is that of the first. */
  options: ChaosOptions
  chain: 'fast'
  outageMillis: number
  /** A file with the rounds of earlier runs, which counts them as done; undefined to keep nothing. */
  resume: string | undefined
}

/** Runs one market after another, each with its own seed and checked by itself. The first violation ends them. */
export async function runRounds({
  options,
  chain,
  outageMillis,
  resume,
}: RoundsOptions): Promise<Pick<ChaosReport, 'lines' | 'violations'>> {
  const rounds = resume === undefined ? [] : await readRounds(resume)
  const commit = await currentCommit()
  for (let next = nextRound(rounds, options); next; next = nextRound(rounds, options)) {
    const { seed, purchases } = next
    options.say(`round ${rounds.length + 1}, seed ${seed}: ${purchasesOf(rounds)} of ${options.purchases} purchases so far`)
    const report = await runChaos({ ...options, seed, purchases }, singleScenario({ chain, outageMillis }))
    rounds.push({ seed, commit, ...report })
    if (resume !== undefined) await writeRounds(resume, rounds)
    options.say(`the round's report:\n${report.lines.join('\n')}`)
    if (report.purchases === 0) throw new Error(`the round with seed ${seed} made no purchase`)
  }
  return { lines: summarise(rounds), violations: rounds.flatMap(({ violations }) => violations) }
}

/** The next round, with the first seed that none had; undefined after a violation, and once they have made as many purchases as wanted. */
export function nextRound(
  rounds: readonly Pick<Round, 'seed' | 'purchases' | 'violations'>[],
  wanted: { seed: number; purchases: number },
): { seed: number; purchases: number } | undefined {
  const left = wanted.purchases - purchasesOf(rounds)
  if (left <= 0 || rounds.some(({ violations }) => violations.length > 0)) return undefined
  let { seed } = wanted
  while (rounds.some((round) => round.seed === seed)) seed += 1
  return { seed, purchases: Math.min(ROUND_PURCHASES, left) }
}

function summarise(rounds: readonly Round[]): string[] {
  const sum = (figure: (round: Round) => number) => rounds.reduce((total, round) => total + figure(round), 0)
  const seconds = sum((round) => round.seconds)
  return [
    row('rounds', rounds.length),
    row('seeds', rounds.map(({ seed }) => seed).join(', ')),
    row(
      'purchases started',
      sum(({ purchases }) => purchases),
    ),
    row(
      '  settled',
      sum(({ settled }) => settled),
    ),
    row('speed', `${(purchasesOf(rounds) / seconds).toFixed(1)} purchases/s in ${seconds.toFixed(0)} s, with start and checks`),
    row(
      'invariant violations',
      sum(({ violations }) => violations.length),
    ),
  ]
}

function purchasesOf(rounds: readonly Pick<Round, 'purchases'>[]): number {
  return rounds.reduce((sum, { purchases }) => sum + purchases, 0)
}

async function readRounds(file: string): Promise<Round[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  // This program wrote them.
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Round)
}

/** As a whole, so that no line of it is ever half written. */
async function writeRounds(file: string, rounds: readonly Round[]): Promise<void> {
  await writeFile(`${file}.new`, rounds.map((round) => `${JSON.stringify(round)}\n`).join(''))
  await rename(`${file}.new`, file)
}

/** With a mark if the files are not those of the commit. */
async function currentCommit(): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty'])
  return stdout.trim()
}
