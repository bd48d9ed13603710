import { parseArgs } from 'node:util'

import { runChaos } from './run-chaos.ts'

const usage = `npm run chaos -- [--seed N] [--purchases N] [--minutes M] [--buyers N] [--sellers N] [--rate N] [--disturb SECONDS] [--keep-logs]

Lets buyers and sellers trade on the real stack (two servers, PostgreSQL, a local Solana chain) while servers and database
are killed, the chain freezes, its calls fail, payments vanish and clients crash; then checks that nothing was lost.
Exits with 1 if something was. The same seed makes the same choices.

  --seed       decides who does what, what fails, and when (1)
  --purchases  stop after this many purchases (5000)
  --minutes    or after this time (30)
  --buyers     players who buy (120)
  --sellers    players who sell (30, or one for every 150 purchases)
  --rate       purchase attempts per second, at most (30)
  --disturb    seconds between two outages, on average (6)
  --keep-logs  keep the servers' logs even if nothing fails
`

/** Keeps each seller's listings within the 500 that `my-listings` shows. */
const PURCHASES_PER_SELLER = 150

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    purchases: { type: 'string', default: '5000' },
    minutes: { type: 'string', default: '30' },
    buyers: { type: 'string', default: '120' },
    sellers: { type: 'string' },
    rate: { type: 'string', default: '30' },
    disturb: { type: 'string', default: '6' },
    'keep-logs': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))

if (values.help) {
  process.stdout.write(usage)
} else {
  const purchases = positive('purchases', values.purchases)
  const sellers = values.sellers ?? String(Math.max(30, Math.ceil(purchases / PURCHASES_PER_SELLER)))
  const report = await runChaos({
    seed: Number(values.seed),
    purchases,
    minutes: positive('minutes', values.minutes),
    buyers: positive('buyers', values.buyers),
    sellers: positive('sellers', sellers),
    perSecond: positive('rate', values.rate),
    outageMillis: positive('disturb', values.disturb) * 1000,
    keepLogs: values['keep-logs'],
    say: (line) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`),
  })
  process.stdout.write(`\n${report.lines.join('\n')}\n`)
  process.exitCode = report.violations.length > 0 ? 1 : 0
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (Number.isFinite(number) && number > 0) return number
  throw new Error(`--${name} is ${JSON.stringify(text)}. It must be a number above 0.`)
}
