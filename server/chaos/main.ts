import { readArguments, usage } from './arguments.ts'
import { findPrograms } from './patroni/packages.ts'
import { patroniScenario } from './patroni/patroni-scenario.ts'
import { type ChaosReport } from './report.ts'
import { runRounds } from './rounds.ts'
import { runChaos } from './run-chaos.ts'
import { singleScenario } from './single-scenario.ts'

const COULD_NOT_RUN = 2

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))

const run = await prepare()
if (run) {
  const report = await run()
  process.stdout.write(`\n${report.lines.join('\n')}\n`)
  process.exitCode = report.violations.length > 0 ? 1 : 0
}

/** @returns undefined if there is nothing to run; why is said */
async function prepare(): Promise<(() => Promise<Pick<ChaosReport, 'lines' | 'violations'>>) | undefined> {
  try {
    const given = readArguments(process.argv.slice(2))
    switch (given.kind) {
      case 'help':
        process.stdout.write(usage)
        return undefined
      case 'single':
        return () => runChaos({ ...given.options, say }, singleScenario(given))
      case 'rounds':
        return () => runRounds({ ...given, options: { ...given.options, say } })
      case 'patroni': {
        const programs = await findPrograms()
        return () => runChaos({ ...given.options, say }, patroniScenario(programs, given.rounds))
      }
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = COULD_NOT_RUN
    return undefined
  }
}

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
}
