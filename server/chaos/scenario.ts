import { type FaultRates } from './chain-faults/faults.ts'
import { type EventStreams } from './checks/event-streams.ts'
import { type Player, type Run } from './players/player.ts'
import { type SellerPace } from './players/seller.ts'
import { type ChainKind } from './stack/chain-process.ts'
import { type CommitRates } from './stack/commit-faults.ts'
import { type StackDatabase } from './stack/stack-database.ts'
import { type Stack } from './stack/stack.ts'
import { type RestrictionPace } from './studio/operator.ts'

export interface ChaosOptions {
  /** Decides who does what, what fails, and when. */
  seed: number
  /** The run ends after this many holds, when its time is up, or when all disturbances are over. */
  purchases: number
  minutes: number
  buyers: number
  sellers: number
  /** Of the local chain. A blockhash lives for 150 slots, which an overloaded machine needs for other things. */
  slotMillis: number
  /** The most purchase attempts per second. */
  perSecond: number
  /** Keeps the servers' logs even if nothing fails. */
  keepLogs: boolean
  say(line: string): void
}

/** What a run does to the stack, and on which database. */
export interface Scenario<Database extends StackDatabase> {
  /**
   * Whether the market takes a fee, by the seed: on all servers, since what one offers is paid at another. With a fee, clients that know of
   * one transfer alone cannot buy.
   */
  takesFee(seed: number): boolean
  chain: ChainKind
  sellers: SellerPace
  holdSeconds: number
  drainSeconds: number
  /** Of the faults between the servers and the chain. */
  rates: FaultRates
  /** Of the faults between the servers and the database, if there are any at single commits. */
  commitRates: CommitRates | undefined
  /** Starts the database, which may use a subfolder `data` and write logs. */
  startDatabase(folder: string): Promise<Database>
  disturb(market: DisturbedMarket<Database>): Promise<Disturbances>
  /** How often the studio pauses the market and blocks players meanwhile, if it does. */
  restrictions: RestrictionPace | undefined
}

export interface DisturbedMarket<Database extends StackDatabase> {
  stack: Stack<Database>
  run: Run
  players: readonly Player[]
  streams: EventStreams
  say(line: string): void
}

export interface Disturbances {
  /** Resolves when everything that was to happen has happened. */
  over: Promise<void>
  /** Starts nothing further and waits until everything is running again. */
  stop(): Promise<void>
  /** Called once, after `stop` and before anything is checked. */
  findings(): Promise<{ lines: string[]; violations: string[] }>
}
