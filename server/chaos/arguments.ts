import { parseArgs } from 'node:util'

import { type FaultRounds } from './patroni/fault-rounds.ts'
import { type FaultName, faultNames } from './patroni/faults.ts'
import { type ChaosOptions } from './scenario.ts'

/** What one market is checked for at once: all of it is read into memory. */
export const ROUND_PURCHASES = 10_000

export const usage = `npm run chaos -- [--seed N] [--purchases N] [--minutes M] [--buyers N] [--sellers N] [--rate N] [--disturb SECONDS]
                 [--slot MILLIS] [--keep-logs]
npm run chaos -- --chain fast [--resume FILE] [--seed N] [--purchases N] [--rate N] ...
npm run chaos -- --database patroni [--rounds N] [--faults A,B] [--seed N] [--buyers N] [--sellers N] [--rate N] [--keep-logs]

Lets buyers and sellers trade on the real stack (two servers, PostgreSQL, a local Solana chain) while servers and database
are killed, the chain freezes, its calls fail, payments vanish and clients crash. Servers are also killed at the commit of a
reservation and as they send its payment, answers of commits are lost, one endpoint of two lies, and some buyers attack. Meanwhile
the studio pauses the market and blocks players for seconds, sellers change prices, a game sells through checkouts, and another that
dies again and again follows all sales. Then it checks that nothing was lost, that nobody paid another price than was offered, and that
the market has signed nothing else on the chain than what it tells everybody.
The same seed makes the same choices.

  --seed       decides who does what, what fails, and when; with an even one, the market takes a fee (1)
  --purchases  stop after this many purchases (5000)
  --minutes    or after this time (30)
  --buyers     players who buy (120; with Patroni 40)
  --sellers    players who sell (30, or one for every 150 purchases)
  --rate       purchase attempts per second, at most (30; with Patroni 10)
  --slot       milliseconds of a slot of the chain: more on a machine that is busy otherwise (50)
  --disturb    seconds between two outages, on average (6)
  --keep-logs  keep the servers' logs even if nothing fails

With --chain fast the chain is a program of our own, which keeps those rules of Solana that payments depend on, takes little of the
machine, and abandons forks: for hundreds of thousands of purchases. They are bought in rounds of ${ROUND_PURCHASES}, each with the next seed and a
new market, and checked after each of them.

  --resume     write each round into this file, and leave out those that are in it already

With --database patroni the database is a cluster: etcd, three PostgreSQL with Patroni and synchronous replication, and HAProxy in
front. Its parts, the connections to it and the servers fail one after the other, and the report says how long each was felt. It
needs Debian's packages patroni, etcd-server, haproxy and postgresql-15, and is configured as docs/high-availability.md says.

  --rounds     how often each fault happens (1)
  --faults     only these: ${faultNames.slice(0, 5).join(', ')},
               ${faultNames.slice(5).join(', ')}

Exits with 0 if nothing was lost, with 1 if something was or took too long, and with 2 if it could not run.
`

export type ChaosArguments =
  | { kind: 'help' }
  | { kind: 'single'; chain: 'local'; options: Omit<ChaosOptions, 'say'>; outageMillis: number }
  | { kind: 'rounds'; chain: 'fast'; options: Omit<ChaosOptions, 'say'>; outageMillis: number; resume: string | undefined }
  | { kind: 'patroni'; options: Omit<ChaosOptions, 'say'>; rounds: FaultRounds }

/** Keeps each seller's listings within the 500 that `my-listings` shows. */
const PURCHASES_PER_SELLER = 150
const SINGLE = { buyers: '120', rate: '30', purchases: '5000', minutes: '30', slot: '50', disturb: '6' }
/** As many buyers as two cores serve; a round ends with its purchases. */
const FAST = { buyers: '80', rate: '60', purchases: String(ROUND_PURCHASES), minutes: '60', slot: '50', disturb: '15' }
/** A pace that leaves two cores room for three databases: half as many buyers again trade hardly faster. The rounds end the run. */
const PATRONI = { buyers: '40', rate: '10', purchases: '4500', minutes: '50', slot: '50' }

/** @throws Error with a sentence for whoever typed them */
export function readArguments(given: readonly string[]): ChaosArguments {
  const { values } = parseArgs({
    args: [...given],
    options: {
      database: { type: 'string', default: 'single' },
      chain: { type: 'string', default: 'local' },
      seed: { type: 'string', default: '1' },
      purchases: { type: 'string' },
      minutes: { type: 'string' },
      buyers: { type: 'string' },
      sellers: { type: 'string' },
      rate: { type: 'string' },
      slot: { type: 'string' },
      disturb: { type: 'string' },
      resume: { type: 'string' },
      rounds: { type: 'string' },
      faults: { type: 'string' },
      'keep-logs': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return { kind: 'help' }
  const { database, chain, disturb, rounds, faults, resume } = values
  if (database !== 'single' && database !== 'patroni')
    throw new Error(`--database is ${JSON.stringify(database)}. It must be single or patroni.`)
  if (chain !== 'local' && chain !== 'fast') throw new Error(`--chain is ${JSON.stringify(chain)}. It must be local or fast.`)
  if (chain === 'local') refuse({ resume }, 'needs --chain fast')
  const defaults = database === 'patroni' ? PATRONI : chain === 'fast' ? FAST : SINGLE
  const seed = Number(values.seed)
  const purchases = positive('purchases', values.purchases ?? defaults.purchases)
  const inOneMarket = chain === 'fast' ? Math.min(purchases, ROUND_PURCHASES) : purchases
  const options = {
    seed,
    purchases,
    minutes: positive('minutes', values.minutes ?? defaults.minutes),
    buyers: positive('buyers', values.buyers ?? defaults.buyers),
    sellers: positive('sellers', values.sellers ?? String(Math.max(30, Math.ceil(inOneMarket / PURCHASES_PER_SELLER)))),
    perSecond: positive('rate', values.rate ?? defaults.rate),
    slotMillis: positive('slot', values.slot ?? defaults.slot),
    keepLogs: values['keep-logs'],
  }
  if (database === 'single') {
    refuse({ rounds, faults }, 'needs --database patroni')
    const outageMillis = positive('disturb', disturb ?? (chain === 'fast' ? FAST : SINGLE).disturb) * 1000
    return chain === 'fast' ? { kind: 'rounds', chain, options, outageMillis, resume } : { kind: 'single', chain, options, outageMillis }
  }
  if (chain === 'fast') throw new Error('--chain fast does not go with --database patroni.')
  refuse({ disturb }, 'does not go with --database patroni, whose faults follow each other')
  return { kind: 'patroni', options, rounds: { seed, names: faultsIn(faults), rounds: positive('rounds', rounds ?? '1') } }
}

function refuse(values: Record<string, unknown>, why: string): void {
  for (const [name, value] of Object.entries(values)) if (value !== undefined) throw new Error(`--${name} ${why}.`)
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (Number.isFinite(number) && number > 0) return number
  throw new Error(`--${name} is ${JSON.stringify(text)}. It must be a number above 0.`)
}

function faultsIn(text: string | undefined): FaultName[] {
  if (text === undefined) return faultNames
  return text.split(',').map((name) => {
    const known = faultNames.find((fault) => fault === name)
    if (known === undefined) throw new Error(`--faults names ${JSON.stringify(name)}. The faults are ${faultNames.join(', ')}.`)
    return known
  })
}
