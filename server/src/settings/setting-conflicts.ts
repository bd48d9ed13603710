import { type Config } from './config.ts'
import { type Environment } from './setting-reader.ts'

/** Settings that are valid separately but not together: a sentence for each pair. */
export function findConflicts(config: Config, env: Environment): string[] {
  const found: string[] = []
  if (config.databaseUrl && env['JWT_SECRET'] === undefined) {
    found.push('JWT_SECRET is not set. It is required with DATABASE_URL, because all servers on one database must share it.')
  }
  if (config.databaseUrl && env['STUDIO_API_KEY'] === undefined) {
    found.push('STUDIO_API_KEY is not set. It is required with DATABASE_URL, because all servers on one database must share it.')
  }
  if (config.databaseUrl && config.coSign && env['REFERENCE_SECRET'] === undefined) {
    found.push(
      'REFERENCE_SECRET is not set. It is required with DATABASE_URL, because the key that co-signs payments is derived from it, and all ' +
        'servers on one database must share it. A market that had none before continues with a new secret, a comma and the value of JWT_SECRET.',
    )
  }
  if (config.coSign && sharesReferenceSecret(config)) {
    found.push(
      'REFERENCE_SECRET begins with the value of JWT_SECRET or STUDIO_API_KEY. The key that co-signs payments is derived from it: put a ' +
        'secret of its own in front, separated by a comma.',
    )
  }
  if (!config.coSign && config.walletSends === 'off') {
    found.push('CO_SIGN and WALLET_SENDS are both "off", so nobody could pay. Switch one of them on.')
  }
  if (config.databaseReadUrl && env['DATABASE_URL'] === undefined) {
    found.push('DATABASE_READ_URL is set, but DATABASE_URL is not. The built-in database has no replica.')
  }
  if (config.jwtSecret !== undefined && config.jwtSecret === config.studioApiKey) {
    found.push('STUDIO_API_KEY is the same as JWT_SECRET. Each protects something else: choose two different values.')
  }
  if (config.fee.basisPoints > 0 && env['MARKET_FEE_WALLET'] === undefined) {
    found.push('MARKET_FEE_BPS is set, but MARKET_FEE_WALLET is not. Set it to the wallet that receives the fee.')
  }
  if (env['MARKET_FEE_WALLET'] !== undefined && env['MARKET_FEE_BPS'] === undefined) {
    found.push('MARKET_FEE_WALLET is set, but MARKET_FEE_BPS is not. Set it to the fee in hundredths of a percent, or to 0 for none.')
  }
  if (config.demo && config.network === 'mainnet') {
    found.push(
      'DEMO is "on", but SOLANA_RPC_URL is a mainnet endpoint. The demo gives tokens away: set DEMO=off, or use devnet or testnet.',
    )
  }
  if (config.metrics?.port === config.port) {
    found.push('METRICS_PORT is the same as PORT. Metrics are served apart from the market: choose another port.')
  }
  if (env['METRICS_HOST'] !== undefined && env['METRICS_PORT'] === undefined) {
    found.push('METRICS_HOST is set, but METRICS_PORT is not. Set it to the port that metrics are served on.')
  }
  return found
}

/** Whether new references and keys would be made with a secret that protects something else. */
function sharesReferenceSecret({ referenceSecrets, jwtSecret, studioApiKey }: Config): boolean {
  const newest = referenceSecrets?.[0]
  return newest !== undefined && (newest === jwtSecret || newest === studioApiKey)
}
