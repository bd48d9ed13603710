import { parseArgs } from 'node:util'

import { runChaos } from './run-chaos.ts'

const usage = `npm run chaos -- [--seed N] [--purchases N] [--minutes M] [--buyers N] [--sellers N] [--rate N] [--disturb SECONDS] [--keep-logs]

Lets buyers and sellers trade on the real stack (two servers, PostgreSQL, a local Solana chain) while servers and database
are killed, the chain stands still, its calls fail, payments vanish and clients die; then checks that nothing was lost.
Ends with 1 where something was. The same seed makes the same choices again.
`

/** As many sellers as keep each one's lots within what a page shows of them. */
const PURCHASES_A_SELLER = 150

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
  const sellers = values.sellers ?? String(Math.max(30, Math.ceil(purchases / PURCHASES_A_SELLER)))
  const report = await runChaos({
    seed: Number(values.seed),
    purchases,
    minutes: positive('minutes', values.minutes),
    buyers: positive('buyers', values.buyers),
    sellers: positive('sellers', sellers),
    perSecond: positive('rate', values.rate),
    disturbMillis: positive('disturb', values.disturb) * 1000,
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
