import { marketTitle } from '@juicebar/contract/market-settings'
import { type Logger } from 'pino'

import { type Config, type Network } from './settings/config.ts'
import { logAlways } from './logging/log.ts'

interface Places {
  dataFolder: string | undefined
  studioKeyFile: string | undefined
}

const networkTexts: Record<Network, string> = {
  localnet: 'localnet, a chain on this machine: its SOL is play money',
  devnet: 'devnet: its SOL is play money',
  testnet: 'testnet: its SOL is play money',
  mainnet: 'mainnet: real money',
}

/**
 * Says that the market is open: to a person at a terminal as a text, else as one line of the log, so that standard output that is
 * collected has nothing but JSON.
 */
export function announceStart(config: Config, places: Places, log: Logger): void {
  if (process.stdout.isTTY) process.stdout.write(startedText(config, places))
  else logAlways(log, { network: networkTexts[config.network], settleAt: config.settleAt, ...places }, openText(config))
}

function openText({ productName, publicOrigin }: Config): string {
  return `${marketTitle(productName)} is open at ${publicOrigin}`
}

/** What a person who has just started the product wants to know. It contains no secret. */
function startedText(config: Config, { dataFolder, studioKeyFile }: Places): string {
  const rows = [
    ['Network', networkTexts[config.network]],
    ['Tokens move', `when a payment is ${config.settleAt}`],
    ['Data', config.databaseUrl === undefined ? `${dataFolder} (PostgreSQL inside)` : 'in the PostgreSQL of DATABASE_URL'],
    ['Studio key', studioKeyFile ?? 'the one of STUDIO_API_KEY'],
    ['API', `${config.publicOrigin}/docs`],
  ].map(([name = '', text = '']) => `  ${name.padEnd(12)} ${text}\n`)
  const lines = ['\n', `  ${openText(config)}\n`, '\n', ...rows, '\n', whatToTry(config), '  Ctrl-C stops everything.\n\n']
  return lines.join('')
}

function whatToTry({ demo, network }: Config): string {
  if (demo && network === 'localnet') return '  Try it: connect the Demo Wallet, get test SOL, and buy a drink. No extension is needed.\n'
  return '  Try it: connect a Phantom wallet and sign in.\n'
}
