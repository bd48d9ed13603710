import { type PoolUse } from '../database/database-pool.ts'
import { type Family, type Sample } from './instruments.ts'

/** An RPC endpoint with its own counts. */
export interface EndpointUse {
  /** Its host, without the rest of its URL. */
  host: string
  up: boolean
  /** Requests a second that this server may send to it. */
  perSecond: number
  queue: { usedRatio: number }
  /** So far, by outcome. */
  requests: Readonly<Record<string, number>>
}

/** What the parts of this server know about themselves, read for each scrape. Nothing here waits. */
export interface ServerState {
  version: string
  endpoints: readonly EndpointUse[]
  chainUp: boolean
  /** Seconds of work that lie before a request that a new hold would add. */
  chainBacklogSeconds: number
  pools: readonly { pool: string; use: PoolUse }[]
  /** Undefined without a replica. */
  replica: { isUsed: boolean; lagSeconds: number } | undefined
  streams: number
  /** Seconds since the outbox was last read to its end. */
  outboxSeconds: number
  /** Seconds since a round of reconciliation last began. */
  roundSeconds: number
}

/** The metrics that this server knows without the database. */
export function serverFamilies(state: ServerState): Family[] {
  return [...serverItself(state), ...chain(state), ...database(state), ...work(state)]
}

/** Whether the database takes writes, as it has just been asked. */
export function databaseUp(isUp: boolean): Family {
  return gauge('juicebar_database_up', 'Whether the database is reached and takes writes.', [{ value: Number(isUp) }])
}

function serverItself({ version }: ServerState): Family[] {
  const { user, system } = process.cpuUsage()
  const { active } = performance.eventLoopUtilization()
  return [
    gauge('juicebar_build_info', 'The version that runs.', [{ labels: { version, node: process.version }, value: 1 }]),
    gauge('juicebar_process_start_time_seconds', 'When the process started, in seconds since 1970.', [
      { value: performance.timeOrigin / 1_000 },
    ]),
    counter('juicebar_process_cpu_seconds_total', 'CPU time of the process.', [{ value: (user + system) / 1e6 }]),
    gauge('juicebar_process_resident_memory_bytes', 'Memory of the process.', [{ value: process.memoryUsage.rss() }]),
    counter('juicebar_event_loop_active_seconds_total', 'How long the event loop was busy: near 1 a second, everything waits.', [
      { value: active / 1_000 },
    ]),
  ]
}

function chain({ endpoints, chainUp, chainBacklogSeconds }: ServerState): Family[] {
  const ofEach = (valueOf: (endpoint: EndpointUse) => number) =>
    endpoints.map((endpoint): Sample => ({ labels: { endpoint: endpoint.host }, value: valueOf(endpoint) }))
  const requests = endpoints.flatMap(({ host, requests: byOutcome }) =>
    Object.entries(byOutcome).map(([outcome, value]): Sample => ({ labels: { endpoint: host, outcome }, value })),
  )
  return [
    gauge('juicebar_chain_up', 'Whether any RPC endpoint answers.', [{ value: Number(chainUp) }]),
    gauge(
      'juicebar_chain_endpoint_up',
      'Whether the last probe of the endpoint succeeded.',
      ofEach(({ up }) => Number(up)),
    ),
    counter(
      'juicebar_chain_requests_total',
      'Requests to RPC endpoints, by outcome. busy and unsent never left this server, for lack of budget or another reason.',
      requests,
    ),
    gauge(
      'juicebar_chain_budget_requests_per_second',
      'Requests that this server may send to the endpoint (SOLANA_RPC_LIMIT).',
      ofEach(({ perSecond }) => perSecond),
    ),
    gauge(
      'juicebar_chain_budget_used_ratio',
      'The part of the budget that was used lately, from 0 to 1.',
      ofEach(({ queue }) => queue.usedRatio),
    ),
    gauge('juicebar_chain_backlog_seconds', 'Seconds of budget that are spent before a request of a new hold has its turn.', [
      { value: chainBacklogSeconds },
    ]),
  ]
}

function database({ pools, replica }: ServerState): Family[] {
  const states = (['inUse', 'idle'] as const).map((state) => ({ state, label: state === 'inUse' ? 'in_use' : state }))
  return [
    gauge(
      'juicebar_database_connections',
      'Database connections, by pool.',
      pools.flatMap(({ pool, use }) => states.map(({ state, label }) => ({ labels: { pool, state: label }, value: use[state] }))),
    ),
    gauge(
      'juicebar_database_connections_max',
      'How many connections the pool may open.',
      pools.map(({ pool, use }) => ({ labels: { pool }, value: use.max })),
    ),
    gauge(
      'juicebar_database_callers_waiting',
      'Callers that wait for a connection of the pool.',
      pools.map(({ pool, use }) => ({ labels: { pool }, value: use.waiting })),
    ),
    gauge(
      'juicebar_replica_used',
      'Whether the replica is read from. Missing without a replica.',
      replica ? [{ value: Number(replica.isUsed) }] : [],
    ),
    gauge(
      'juicebar_replica_lag_seconds',
      'So long ago the replica was last proved to show everything until then. Missing without a replica.',
      replica ? [{ value: replica.lagSeconds }] : [],
    ),
  ]
}

function work({ streams, outboxSeconds, roundSeconds }: ServerState): Family[] {
  return [
    gauge('juicebar_event_streams', 'Event streams that are open.', [{ value: streams }]),
    gauge('juicebar_outbox_lag_seconds', 'Time since this server last read the outbox of events to its end.', [{ value: outboxSeconds }]),
    gauge('juicebar_reconciliation_round_age_seconds', 'Time since this server last began to reconcile what is due.', [
      { value: roundSeconds },
    ]),
  ]
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'gauge', samples }
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'counter', samples }
}
