import { type Config, type Network } from './config.ts'

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

/** What to know after a start: where the market is, on which network, where its data is. It contains no secret. */
export function startedText(config: Config, { dataFolder, studioKeyFile }: Places): string {
  const rows = [
    ['Network', networkTexts[config.network]],
    ['Tokens move', `when a payment is ${config.settleAt}`],
    ['Data', config.databaseUrl === undefined ? `${dataFolder} (PostgreSQL inside)` : 'in the PostgreSQL of DATABASE_URL'],
    ['Studio key', studioKeyFile ?? 'the one of STUDIO_API_KEY'],
    ['API', `${config.publicOrigin}/docs`],
  ].map(([name = '', text = '']) => `  ${name.padEnd(12)} ${text}\n`)
  const lines = [
    '\n',
    `  ${config.productName} Marketplace is open at ${config.publicOrigin}\n`,
    '\n',
    ...rows,
    '\n',
    whatToTry(config),
    '  Ctrl-C stops everything.\n\n',
  ]
  return lines.join('')
}

function whatToTry({ demo, network }: Config): string {
  if (demo && network === 'localnet') return '  Try it: connect the Demo Wallet, get test SOL, and buy a drink. No extension is needed.\n'
  return '  Try it: connect a Phantom wallet and sign in.\n'
}
