import { type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { processTree, signalAll } from './processes.ts'
import { type MemberPlan } from './recipe.ts'

/** A node of the cluster: PostgreSQL and the Patroni that runs it. */
export interface Member {
  name: string
  /** The base URL of Patroni's REST API. */
  restUrl: string
  /** Starts Patroni, which starts PostgreSQL. */
  start(): Promise<void>
  /** Kills PostgreSQL with SIGKILL. Patroni stays. */
  killPostgres(): Promise<void>
  /** Kills everything with SIGKILL. */
  killNode(): Promise<void>
  /** Suspends everything for this long. */
  freeze(millis: number): Promise<void>
}

export function createMember(plan: MemberPlan, startPatroni: () => Promise<ChildProcess>): Member {
  let patroni: ChildProcess | undefined

  const patroniProcesses = () => (patroni?.pid === undefined ? Promise.resolve([]) : processTree(patroni.pid))
  const postgresProcesses = async () => {
    const pid = await readPostmasterPid(plan.dataFolder)
    return pid === undefined ? [] : processTree(pid)
  }
  const allProcesses = async () => [...(await patroniProcesses()), ...(await postgresProcesses())]

  return {
    name: plan.name,
    restUrl: `http://${plan.host}:${plan.restPort}`,
    start: async () => void (patroni = await startPatroni()),
    killPostgres: async () => signalAll((await postgresProcesses()).slice(0, 1), 'SIGKILL'),
    killNode: async () => {
      signalAll(await patroniProcesses(), 'SIGKILL')
      signalAll(await postgresProcesses(), 'SIGKILL')
    },
    freeze: async (millis) => {
      const frozen = await allProcesses()
      signalAll(frozen, 'SIGSTOP')
      try {
        await delay(millis)
      } finally {
        signalAll(frozen, 'SIGCONT')
      }
    },
  }
}

/** The process id in PostgreSQL's lock file. */
async function readPostmasterPid(dataFolder: string): Promise<number | undefined> {
  const [line] = (await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const pid = Number(line)
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
}
