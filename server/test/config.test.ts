import { describe, expect, it } from 'vitest'
import { ConfigError, isLoopback } from '../src/settings/setting-reader.ts'
import { readConfig, publicConfig } from '../src/config.ts'

const shared = { JWT_SECRET: 'j'.repeat(32), STUDIO_API_KEY: 'studio-key-0123456', REFERENCE_SECRET: 'r'.repeat(32) }
const feeWallet = 'JCYoWVEjgW4iocDBRcWPhNYNnNFx3tSqSDxAZetY3Dmz'
const otherWallet = '5dEbMXXa19nLdjj9tZKzq9ZQPYVhSxV2eJo4skXNZuzb'
const online = { HOST: '0.0.0.0', PUBLIC_ORIGIN: 'https://market.example' }

const { REFERENCE_SECRET: _, ...withoutReferenceSecret } = shared

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('settings', () => {
  it('have defaults', () => {
    expect(readConfig({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      publicOrigin: 'http://localhost:3000',
      productName: 'Juicebar',
      brandDir: undefined,
      dataDir: '.data',
      databaseUrl: undefined,
      databaseReadUrl: undefined,
      databaseConnections: 10,
      rpcUrls: undefined,
      network: 'localnet',
      jwtSecret: undefined,
      studioApiKey: undefined,
      studioWallets: [],
      referenceSecrets: undefined,
      demo: true,
      demoSeed: true,
      settleAt: 'confirmed',
      holdSeconds: 60,
      networkHolds: 10,
      coSign: true,
      walletSends: 'any',
      fee: { basisPoints: 0, wallet: undefined },
      checkoutOrigins: [],
      webhookAllowPrivate: false,
      drainSeconds: 0,
      trustProxy: false,
      logLevel: 'info',
      securityContact: undefined,
    })
  })

  it('show a person at a terminal warnings only, unless asked for more', () => {
    expect(readConfig({}, { terminal: true })).toEqual({ ...readConfig({}), logLevel: 'warn' })
    expect(readConfig({ LOG_LEVEL: 'debug' }, { terminal: true }).logLevel).toBe('debug')
  })

  it.each([
    [{ PORT: '8080' }, { port: 8080, publicOrigin: 'http://localhost:8080' }],
    [{ HOST: '::1' }, { host: '::1' }],
    [online, { host: '0.0.0.0', publicOrigin: 'https://market.example' }],
    [{ PUBLIC_ORIGIN: 'https://market.example/' }, { publicOrigin: 'https://market.example' }],
    [{ PRODUCT_NAME: 'Café 9' }, { productName: 'Café 9' }],
    [{ BRAND_DIR: '/etc/market' }, { brandDir: '/etc/market' }],
    [{ CATALOGUE: '/etc/market/items.json' }, { catalogue: '/etc/market/items.json' }],
    [
      { DEMO: 'off', DEMO_SEED: 'off' },
      { demo: false, demoSeed: false },
    ],
    [
      { SETTLE_AT: 'finalized', HOLD_SECONDS: '1' },
      { settleAt: 'finalized', holdSeconds: 1 },
    ],
    [{ HOLD_SECONDS: '600' }, { holdSeconds: 600 }],
    [{ NETWORK_HOLDS: '200' }, { networkHolds: 200 }],
    [{ CO_SIGN: 'off' }, { coSign: false, walletSends: 'any' }],
    [{ WALLET_SENDS: 'off' }, { coSign: true, walletSends: 'off' }],
    [
      { CO_SIGN: 'off', WALLET_SENDS: 'referenced' },
      { coSign: false, walletSends: 'referenced' },
    ],
    [{ MARKET_FEE_BPS: '250', MARKET_FEE_WALLET: feeWallet }, { fee: { basisPoints: 250, wallet: feeWallet } }],
    [{ MARKET_FEE_BPS: '0', MARKET_FEE_WALLET: feeWallet }, { fee: { basisPoints: 0, wallet: feeWallet } }],
    [{ DATABASE_CONNECTIONS: '40' }, { databaseConnections: 40 }],
    [{ STUDIO_WALLETS: feeWallet }, { studioWallets: [feeWallet] }],
    [{ STUDIO_WALLETS: `${feeWallet},${otherWallet}` }, { studioWallets: [feeWallet, otherWallet] }],
    [{ DATABASE_URL: 'postgresql://db/market', ...shared }, { drainSeconds: 10 }],
    [{ DATABASE_URL: 'postgresql://db/market', ...shared, DRAIN_SECONDS: '0' }, { drainSeconds: 0 }],
    [{ TRUST_PROXY: 'off' }, { trustProxy: false }],
    [{ TRUST_PROXY: 'loopback,10.0.0.0/8,fd00::/8,192.0.2.7' }, { trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8', '192.0.2.7'] }],
    [{ REFERENCE_SECRET: `${'n'.repeat(32)},${'o'.repeat(32)}` }, { referenceSecrets: ['n'.repeat(32), 'o'.repeat(32)] }],
    [{ ...shared, REFERENCE_SECRET: `${'n'.repeat(32)},${shared.JWT_SECRET}` }, { referenceSecrets: ['n'.repeat(32), shared.JWT_SECRET] }],
    [
      { DATABASE_URL: 'postgresql://db/market', ...withoutReferenceSecret, CO_SIGN: 'off' },
      { coSign: false, referenceSecrets: undefined },
    ],
    [{ WEBHOOK_ALLOW_PRIVATE: 'on' }, { webhookAllowPrivate: true }],
    [{ LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    [{ SECURITY_CONTACT: 'https://studio.example/security' }, { securityContact: 'https://studio.example/security' }],
    [{ SECURITY_CONTACT: 'tel:+1-201-555-0123' }, { securityContact: 'tel:+1-201-555-0123' }],
    [
      { DATABASE_URL: 'postgres://u:p@db/x', ...shared },
      { databaseUrl: 'postgres://u:p@db/x', jwtSecret: shared.JWT_SECRET },
    ],
    [
      {
        DATABASE_URL: 'postgresql://u:p@a,b:5433,[::1]/x?target_session_attrs=read-write',
        DATABASE_READ_URL: 'postgresql://u:p@b,c/x?target_session_attrs=prefer-standby',
        ...shared,
      },
      {
        databaseUrl: 'postgresql://u:p@a,b:5433,[::1]/x?target_session_attrs=read-write',
        databaseReadUrl: 'postgresql://u:p@b,c/x?target_session_attrs=prefer-standby',
      },
    ],
  ])('take %j', (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected)
  })

  it.each([
    [undefined, 'localnet', true],
    ['https://api.devnet.solana.com', 'devnet', false],
    ['https://api.testnet.solana.com', 'testnet', false],
    ['https://api.mainnet-beta.solana.com', 'mainnet', false],
    ['https://rpc.example/?cluster=DEVNET', 'devnet', false],
    ['https://rpc.example', 'mainnet', false],
    ['http://127.0.0.1:8899', 'localnet', false],
    ['http://[::1]:8899', 'localnet', false],
    ['http://localhost:8899/devnet', 'devnet', false],
    ['http://127.0.0.1:8899/?cluster=mainnet', 'mainnet', false],
    ['http://localhost:8899/mainnet-beta', 'mainnet', false],
    ['https://a.devnet.example,https://b.devnet.example', 'devnet', false],
  ])('take %s for %s', (url, network, demo) => {
    expect(readConfig(url === undefined ? {} : { SOLANA_RPC_URL: url })).toMatchObject({ network, demo, rpcUrls: url?.split(',') })
  })

  const refused = {
    PORT: ['0', '65536', '3000.5', '0x10', ' 3000', 'three thousand'],
    HOST: ['http://x', ''],
    PUBLIC_ORIGIN: [
      'market.example',
      'https://market.example/shop',
      'https://market.example/?',
      'https://user@market.example',
      'ftp://market.example',
      '*',
    ],
    TRUST_PROXY: ['true', '1', '0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.1, 10.0.0.2'],
    DATA_DIR: [' '],
    DEMO: ['yes', 'ON'],
    DEMO_SEED: ['1'],
    SETTLE_AT: ['processed'],
    CO_SIGN: ['true', 'OFF'],
    WALLET_SENDS: ['on', 'any,referenced'],
    HOLD_SECONDS: ['0', '601', '-60', '60s'],
    NETWORK_HOLDS: ['0', '10001', 'ten'],
    SECURITY_CONTACT: ['security at studio.example', 'http://studio.example', 'https://studio.example/a\nExpires: never'],
    MARKET_FEE_BPS: ['1001', '2.5', '-1', '1e2'],
    PRODUCT_NAME: ['x'.repeat(41), 'Juice\nNonce: 1', ' Juice'],
    WEBHOOK_ALLOW_PRIVATE: ['yes'],
    STUDIO_WALLETS: ['Ann', `${feeWallet},`, `${feeWallet}, ${otherWallet}`, `${feeWallet},${feeWallet}`, '1'.repeat(32)],
    LOG_LEVEL: ['verbose'],
    SOLANA_RPC_LIMIT: ['0', '10.5', '50, 200', '1000000', ' '],
  }

  it.each(Object.entries(refused).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    'refuse %s=%j with a sentence that names it and its value',
    (name, value) => {
      const problems = problemsOf({ [name]: value })
      expect(problems).toHaveLength(1)
      expect(problems[0]).toMatch(new RegExp(`^${name} is (set but empty|.+\\. It must be .+)`, 's'))
      if (value.trim()) expect(problems[0]).toContain(JSON.stringify(value))
    },
  )

  it.each([
    ['DATABASE_URL', 'mysql://root:hunter2-secret@db/x'],
    ['DATABASE_URL', 'postgresql://u:hunter2-secret@a,,b/x'],
    ['DATABASE_URL', 'postgresql://u:hunter2-secret@a,b/x?target_session_attrs=writable'],
    ['DATABASE_URL', 'postgresql://u:hunter2-secret@a,b/x?target_session_attrs=standby'],
    ['DATABASE_READ_URL', 'postgresql://u:hunter2-secret@a:b/x'],
    ['SOLANA_RPC_URL', 'wss://rpc.example/?key=hunter2-secret'],
    ['SOLANA_RPC_URL', 'https://rpc.example/hunter2-secret, https://b.example'],
    ['JWT_SECRET', 'hunter2-secret'],
    ['STUDIO_API_KEY', 'hunter2-secret'],
    ['REFERENCE_SECRET', 'hunter2-secret'],
    ['REFERENCE_SECRET', `${'n'.repeat(32)},hunter2-secret`],
    ['STUDIO_API_KEY', 'hunter2-secret with a space'],
  ])('refuse a wrong %s without repeating it', (name, value) => {
    const problems = problemsOf({ [name]: value })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name} has a wrong value .+\\. It must be .+\\.$`))
    expect(problems[0]).not.toContain('hunter2')
  })

  it.each([
    [{ HOST: '0.0.0.0' }, /^PUBLIC_ORIGIN is not set.+HOST is "0\.0\.0\.0"/],
    [{ DATABASE_URL: 'postgres://db/x', ...shared, JWT_SECRET: undefined }, /^JWT_SECRET is not set/],
    [{ DATABASE_URL: 'postgres://db/x', ...shared, STUDIO_API_KEY: undefined }, /^STUDIO_API_KEY is not set/],
    [{ DATABASE_URL: 'postgres://db/x', ...withoutReferenceSecret }, /^REFERENCE_SECRET is not set.+DATABASE_URL/],
    [{ ...shared, REFERENCE_SECRET: shared.JWT_SECRET }, /^REFERENCE_SECRET begins with the value of JWT_SECRET or STUDIO_API_KEY/],
    [
      { STUDIO_API_KEY: 'k'.repeat(32), REFERENCE_SECRET: `${'k'.repeat(32)},${'o'.repeat(32)}` },
      /^REFERENCE_SECRET begins with the value of JWT_SECRET or STUDIO_API_KEY/,
    ],
    [{ CO_SIGN: 'off', WALLET_SENDS: 'off' }, /^CO_SIGN and WALLET_SENDS are both "off"/],
    [{ DATABASE_READ_URL: 'postgres://db/x' }, /^DATABASE_READ_URL is set, but DATABASE_URL is not/],
    [{ MARKET_FEE_BPS: '250' }, /^MARKET_FEE_BPS is set, but MARKET_FEE_WALLET is not/],
    [{ MARKET_FEE_WALLET: feeWallet }, /^MARKET_FEE_WALLET is set, but MARKET_FEE_BPS is not/],
    [{ JWT_SECRET: 's'.repeat(40), STUDIO_API_KEY: 's'.repeat(40) }, /^STUDIO_API_KEY is the same as JWT_SECRET/],
    [{ DEMO: 'on', SOLANA_RPC_URL: 'https://api.mainnet-beta.solana.com' }, /^DEMO is "on".+mainnet/],
    [{ DEMO: 'on', SOLANA_RPC_URL: 'http://127.0.0.1:8899/?cluster=mainnet' }, /^DEMO is "on".+mainnet/],
    [{ SOLANA_RPC_URL: 'https://api.devnet.solana.com,https://rpc.example' }, /^SOLANA_RPC_URL names endpoints of different networks/],
    [{ SOLANA_RPC_LIMIT: '50,200' }, /^SOLANA_RPC_LIMIT has 2 numbers, but SOLANA_RPC_URL names 1/],
    [
      { SOLANA_RPC_LIMIT: '1,2', SOLANA_RPC_URL: 'https://a.example,https://b.example,https://c.example' },
      /^SOLANA_RPC_LIMIT has 2 numbers/,
    ],
  ])('refuse the combination %j', (env, sentence) => {
    const problems = problemsOf(env)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(sentence)
  })

  it.each([
    'my wallet',
    feeWallet.slice(1),
    // The System program: its key is of small order.
    '11111111111111111111111111111111',
    // Not on the curve, as accounts of programs are.
    'AWvPrMFETXNfnMxeEMbh4g4YUXhHEsStbKmkYRSCLtnH',
  ])('refuse %j as the wallet of the fee', (MARKET_FEE_WALLET) => {
    expect(problemsOf({ MARKET_FEE_BPS: '0', MARKET_FEE_WALLET })).toEqual([
      `MARKET_FEE_WALLET is ${JSON.stringify(MARKET_FEE_WALLET)}. It must be a Solana wallet address that somebody can sign with.`,
    ])
  })

  it('allow one RPC limit for every endpoint, or one for each', () => {
    const SOLANA_RPC_URL = 'https://a.example,https://b.example'
    expect(readConfig({ SOLANA_RPC_URL }).rpcLimits).toBeUndefined()
    expect(readConfig({ SOLANA_RPC_URL, SOLANA_RPC_LIMIT: '50' }).rpcLimits).toEqual([50, 50])
    expect(readConfig({ SOLANA_RPC_URL, SOLANA_RPC_LIMIT: '50,200' }).rpcLimits).toEqual([50, 200])
    expect(readConfig({ SOLANA_RPC_LIMIT: '7' }).rpcLimits).toEqual([7])
  })

  it('allow the demo on devnet', () => {
    expect(readConfig({ DEMO: 'on', SOLANA_RPC_URL: 'https://api.devnet.solana.com' }).demo).toBe(true)
  })

  it('report all problems at once', () => {
    expect(problemsOf({ PORT: 'x', DEMO: 'x', HOLD_SECONDS: 'x', HOST: '0.0.0.0' })).toHaveLength(4)
  })
})

describe('the public settings', () => {
  const coSigners = { current: 'present key', former: ['former key'], refund: 'refund key' }
  const told = (env: Record<string, string>) => publicConfig(readConfig(env), coSigners, '0.0.0')

  it('name the keys that co-sign, and those that did', () => {
    const keys = { coSigner: 'present key', formerCoSigners: ['former key'], refundCoSigner: 'refund key' }
    expect(told({})).toMatchObject({ ...keys, walletSends: 'any' })
    expect(told({ WALLET_SENDS: 'off' })).toMatchObject({ ...keys, walletSends: 'off' })
  })

  it('name the present key among the former ones while nothing is co-signed', () => {
    const former = ['present key', 'former key']
    expect(told({ CO_SIGN: 'off' })).toMatchObject({ coSigner: null, formerCoSigners: former, refundCoSigner: null, walletSends: 'any' })
  })
})

describe('loopback', () => {
  it.each(['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', 'app.localhost', '::1', '[::1]'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each(['0.0.0.0', '::', '128.0.0.1', '127.0.0.1.example.com', 'localhost.example.com'])('is not %s', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})
