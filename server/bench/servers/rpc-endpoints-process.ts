import { once } from 'node:events'

import { type RequestCounts, startCountingEndpoint } from '../chain/counting-endpoint.ts'
import { StubLedger } from '../chain/stub-ledger.ts'

/** The endpoints to start: the requests a second that each allows. */
export interface EndpointsRole {
  limits: number[]
}

/** The ports of the limited endpoints, and of one that neither limits nor counts, for wallets that send by themselves. */
export interface EndpointPorts {
  limited: number[]
  wallets: number
}

/** What the endpoints have seen. */
export interface EndpointReport {
  /** Of each endpoint. */
  counts: RequestCounts[]
  /** When each transaction was confirmed, in Unix milliseconds. */
  confirmedAt: [signature: string, millis: number][]
}

/** RPC endpoints of one stub chain, in a process of their own. Answers every further message with a report. */
process.once('disconnect', () => process.exit())
const [role]: EndpointsRole[] = await once(process, 'message')
const ledger = new StubLedger()
const endpoints = await Promise.all((role?.limits ?? []).map((limit) => startCountingEndpoint(ledger, limit)))
const wallets = await startCountingEndpoint(ledger)
const report = (): EndpointReport => ({ counts: endpoints.map(({ counts }) => counts), confirmedAt: ledger.confirmedAt() })
process.on('message', () => process.send?.(report()))
const ports: EndpointPorts = { limited: endpoints.map(({ port }) => port), wallets: wallets.port }
process.send?.(ports)
