import { setTimeout as delay } from 'node:timers/promises'

import { wholeBetween } from '../seeded-random.ts'
import { type Stack } from '../stack/stack.ts'
import { addMigration } from '../stack/version.ts'
import { type Member } from './member.ts'
import { type PatroniDatabase } from './patroni-database.ts'

/** What a fault happens to. */
export interface Target {
  stack: Stack<PatroniDatabase>
  seed: number
  /** Of the fault in this run. */
  number: number
}

export interface Fault {
  /** For the report. */
  words: string
  /** How much longer than the database a server may take no writes. */
  writesWithinMillis: number
  /** How much longer than the database a stream may carry no events. */
  eventsWithinMillis: number
  /** Whether the servers themselves go down, one after the other: then writes need one of them. */
  hitsServers: boolean
  /** Whether players may get no answer, or one that asks them to try again. */
  mayFailCalls: boolean
  /** Resolves when everything has been started again. */
  cause(target: Target): Promise<void>
}

const WRITES_WITHIN_MILLIS = 3_000
const EVENTS_WITHIN_MILLIS = 10_000
/** Silence cannot be told from slowness at once. */
const AFTER_SILENCE_MILLIS = 30_000
/** After which the keepalives of the recipe tell the database that a connection is dead. */
const KEEPALIVES_MILLIS = 11_000
const DOWN_MILLIS = 2_000
/** Longer than the leader's key lives. */
const NODE_DOWN_MILLIS = 30_000
const STANDBY_DOWN_MILLIS = 15_000
const FROZEN_MILLIS = 20_000

const limits = { writesWithinMillis: WRITES_WITHIN_MILLIS, eventsWithinMillis: EVENTS_WITHIN_MILLIS, mayFailCalls: true }
const database = { ...limits, hitsServers: false }
const servers = { ...limits, hitsServers: true }

export const faults = {
  switchover: { ...database, words: 'switchover', cause: ({ stack }) => stack.database.cluster.switchover() },
  leaderKilled: { ...database, words: 'kill -9 of the primary', cause: async ({ stack }) => (await leaderOf(stack)).killPostgres() },
  nodeKilled: {
    ...database,
    words: 'kill -9 of its node',
    cause: async ({ stack }) => {
      const leader = await leaderOf(stack)
      await leader.killNode()
      await delay(NODE_DOWN_MILLIS)
      await leader.start()
    },
  },
  standbyKilled: {
    ...database,
    words: 'kill -9 of the standby',
    cause: async ({ stack }) => {
      const standby = await stack.database.cluster.synchronousStandby()
      await standby?.killNode()
      await delay(STANDBY_DOWN_MILLIS)
      await standby?.start()
    },
  },
  leaderFrozen: {
    ...database,
    words: 'primary frozen for 20 s',
    cause: async ({ stack }) => (await leaderOf(stack)).freeze(FROZEN_MILLIS),
  },
  balancerKilled: {
    ...database,
    words: 'kill -9 of the balancer',
    cause: async ({
      stack: {
        database: { cluster },
      },
    }) => {
      await cluster.killBalancer()
      await delay(DOWN_MILLIS)
      await cluster.startBalancer()
    },
  },
  connectionsSilenced: {
    ...database,
    writesWithinMillis: AFTER_SILENCE_MILLIS,
    eventsWithinMillis: AFTER_SILENCE_MILLIS,
    words: 'connections silent',
    cause: async ({ stack }) => {
      stack.database.proxy.silence()
      await delay(KEEPALIVES_MILLIS)
      stack.database.proxy.endSilent()
    },
  },
  serverKilled: {
    ...servers,
    words: 'kill -9 of a server',
    cause: async ({ stack, seed, number }) => {
      const server = stack.servers[wholeBetween(seed, ['fault', number, 'server'], 0, stack.servers.length - 1)]
      await server?.kill()
      await delay(DOWN_MILLIS)
      await server?.start()
    },
  },
  rollingUpgrade: { ...servers, mayFailCalls: false, words: 'rolling upgrade, new columns', cause: upgradeServers },
} as const satisfies Record<string, Fault>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]

async function leaderOf({ database: { cluster } }: Stack<PatroniDatabase>): Promise<Member> {
  const leader = await cluster.leader()
  if (!leader) throw new Error('there is no primary to do anything to')
  return leader
}

/** Tells the servers that do not have the migration that they may stay. */
const COMPATIBLE = '-- compatible: older servers may run on it\n'

/** One server after the other gets a version whose migration adds columns to the tables that are read most. */
async function upgradeServers({ stack, number }: Target): Promise<void> {
  const tables = ['players', 'listings', 'purchases', 'payments', 'cases', 'events']
  const added = tables.map((table) => `alter table ${table} add column chaos_${number} text;\n`)
  const migration = { name: `${9000 + number}-chaos.sql`, sql: [COMPATIBLE, ...added].join('') }
  stack.version = await addMigration(stack.version, `${stack.folder}/version-${number}`, migration)
  for (const server of stack.servers) {
    await server.upgrade(stack.version)
    await delay(DOWN_MILLIS)
  }
}
