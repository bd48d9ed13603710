import { randomBytes } from 'node:crypto'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { createSigner } from 'fast-jwt'
import fc from 'fast-check'
import { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { isSignedBy } from '../../src/chain/transactions/keys.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { bearerToken } from '../../src/http/credentials.ts'
import { checkSignIn, readOwnBlock } from '../../src/restrictions/check-restrictions.ts'
import { createLoginText, createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { readSession } from '../../src/sign-in/verify-signature.ts'
import { signInRoutes } from '../../src/sign-in/routes.ts'
import { deleteExpired, findLiveSessions } from '../../src/sign-in/sign-in-store.ts'
import { forgeSignature, malleate, satisfiesEquation, smallOrderKeys } from '../chain/transactions/forged-signature.ts'
import { startPrimaryAndStandby } from '../database/primary-and-standby.ts'
import { serve } from '../http/test-server.ts'
import { useDatabase } from '../support/fresh-database.ts'
import { createWallet, type TestWallet } from './wallet.ts'

const opened = useDatabase()
let server: FastifyInstance
beforeEach(async () => void (server = await serveSignIn()))

const JWT_SECRET = 'a secret that all servers share, 32+'

/** One of any number of servers on the same database. */
function serveSignIn({
  database = opened.database,
  onFirstSignIn = async (_wallet: WalletAddress): Promise<void> => undefined,
} = {}): Promise<FastifyInstance> {
  const jwts = createSessionJwts(JWT_SECRET)
  return serve(
    (api) =>
      signInRoutes(api, database, {
        jwts,
        loginText: createLoginText('Juicebar', 'https://market.example'),
        onFirstSignIn,
        checkSignIn: (wallet) => checkSignIn(database, wallet),
        readBlock: (wallet) => readOwnBlock(database, wallet),
      }),
    {},
    { authenticate: (request) => readSession(database, jwts, bearerToken(request)) },
  )
}

function askNonce(server: FastifyInstance, walletAddress: string, headers: Record<string, string> = {}) {
  return server.inject({ method: 'POST', url: '/api/auth/nonce', payload: { walletAddress }, headers })
}

function verify(server: FastifyInstance, walletAddress: string, signature: string) {
  return server.inject({ method: 'POST', url: '/api/auth/verify', payload: { walletAddress, signature } })
}

/** Signs a wallet in and returns its session JWT. */
async function signIn(server: FastifyInstance, wallet: TestWallet): Promise<string> {
  const { message } = (await askNonce(server, wallet.address)).json()
  return (await verify(server, wallet.address, wallet.sign(message))).json().token
}

function whoAmI(server: FastifyInstance, jwt: string) {
  return server.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${jwt}` } })
}

function logOut(server: FastifyInstance, jwt: string) {
  return server.inject({ method: 'POST', url: '/api/auth/logout', headers: { authorization: `Bearer ${jwt}` } })
}

function logOutEverywhere(server: FastifyInstance, jwt: string) {
  return server.inject({ method: 'DELETE', url: '/api/auth/sessions', headers: { authorization: `Bearer ${jwt}` } })
}

const statusAndCode = (reply: Awaited<ReturnType<typeof whoAmI>>) => [reply.statusCode, reply.json().code]

async function nonceOf(server: FastifyInstance, wallet: TestWallet) {
  const reply = await askNonce(server, wallet.address)
  expect(reply.statusCode).toBe(200)
  return reply.json()
}

function expireNonce(wallet: TestWallet) {
  return sql`update sign_in_nonces set expires_at = now() - interval '1 second' where wallet_address = ${wallet.address}`.execute(
    opened.database,
  )
}

async function sessionsOf(wallet: TestWallet): Promise<number> {
  return (await sql`select from sessions where wallet_address = ${wallet.address}`.execute(opened.database)).rows.length
}

describe('asking for a nonce', () => {
  it('returns the two lines to sign, with our own host whatever host was requested', async () => {
    const before = Date.now()
    const { nonce, message, expiresAt, millisLeft } = (await askNonce(server, createWallet().address, { host: 'phishing.example' })).json()
    const after = Date.now()
    expect(message).toBe(`Log in to Juicebar Marketplace at market.example\nNonce: ${nonce}`)
    expect(base58.decode(nonce)).toHaveLength(32)
    expect(millisLeft).toBeGreaterThan(299_000)
    expect(millisLeft).toBeLessThanOrEqual(300_000)
    const askedAt = Date.parse(expiresAt) - millisLeft
    expect(askedAt).toBeGreaterThan(before - 1_000)
    expect(askedAt).toBeLessThan(after + 1_000)
  })

  it('again returns the same one, even to many at once and on another server', async () => {
    const other = await serveSignIn()
    const wallet = createWallet()
    const replies = await Promise.all(
      [server, other].flatMap((server) => Array.from({ length: 8 }, () => askNonce(server, wallet.address))),
    )
    expect(new Set(replies.map((reply) => reply.json().nonce)).size).toBe(1)
  })

  it('returns a new one once it has expired', async () => {
    const wallet = createWallet()
    const { nonce } = await nonceOf(server, wallet)
    await expireNonce(wallet)
    const next = await nonceOf(server, wallet)
    expect(next.nonce).not.toBe(nonce)
    expect(next.millisLeft).toBeGreaterThan(299_000)
  })

  it.each(['abc', 'O'.repeat(44), '1'.repeat(31), 'So1111111111111111111111111111111111111111', 5, [createWallet().address]])(
    'for %j is refused',
    async (walletAddress) => {
      const reply = await server.inject({ method: 'POST', url: '/api/auth/nonce', payload: { walletAddress } })
      expect(statusAndCode(reply)).toEqual([400, 'WALLET_ADDRESS_INVALID'])
    },
  )
})

describe('signing in', () => {
  it('opens a session until logging out', async () => {
    const wallet = createWallet()
    const { message } = await nonceOf(server, wallet)
    const verified = await verify(server, wallet.address, wallet.sign(message))
    expect(verified.statusCode).toBe(200)
    const { token, user } = verified.json()
    expect(user).toEqual({ walletAddress: wallet.address, createdAt: expect.stringMatching(/^\d{4}-.+Z$/) })
    expect((await whoAmI(server, token)).json()).toEqual({ user })

    expect((await logOut(server, token)).statusCode).toBe(204)
    const ended = await whoAmI(server, token)
    expect(statusAndCode(ended)).toEqual([401, 'SESSION_ENDED'])
    expect((await logOut(server, token)).statusCode).toBe(401)
  })

  it('ends on every server at once, and only the session that was logged out of', async () => {
    const other = await serveSignIn()
    const wallet = createWallet()
    const [left, kept] = [await signIn(server, wallet), await signIn(server, wallet)]
    expect((await whoAmI(other, left)).statusCode).toBe(200)
    await logOut(server, left)
    expect((await whoAmI(other, left)).statusCode).toBe(401)
    expect((await whoAmI(other, kept)).statusCode).toBe(200)
  })

  it('ends everywhere at once, for that wallet alone, also for event streams', async () => {
    const other = await serveSignIn()
    const [wallet, stranger] = [createWallet(), createWallet()]
    const own = [await signIn(server, wallet), await signIn(other, wallet), await signIn(server, wallet)]
    const strangers = await signIn(server, stranger)
    const [first = ''] = own
    expect(await logOutEverywhere(server, first)).toMatchObject({ statusCode: 204, body: '' })
    for (const jwt of own) expect(statusAndCode(await whoAmI(other, jwt))).toEqual([401, 'SESSION_ENDED'])
    expect((await whoAmI(other, strangers)).statusCode).toBe(200)
    const sessions = (
      await sql<{ id: string }>`select id from sessions where wallet_address in (${wallet.address}, ${stranger.address})`.execute(
        opened.database,
      )
    ).rows
    expect(
      (
        await findLiveSessions(
          opened.database,
          sessions.map(({ id }) => id),
        )
      ).size,
    ).toBe(1)
    expect(statusAndCode(await logOutEverywhere(server, first))).toEqual([401, 'SESSION_ENDED'])
    expect((await whoAmI(server, await signIn(server, wallet))).statusCode).toBe(200)
  })

  it('works once for a nonce', async () => {
    const wallet = createWallet()
    const signature = wallet.sign((await nonceOf(server, wallet)).message)
    expect((await verify(server, wallet.address, signature)).statusCode).toBe(200)
    const replay = await verify(server, wallet.address, signature)
    expect(statusAndCode(replay)).toEqual([401, 'NONCE_INVALID'])
    await nonceOf(server, wallet)
    expect((await verify(server, wallet.address, signature)).json().code).toBe('SIGNATURE_INVALID')
  })

  it('works once for a nonce however many try at the same moment', async () => {
    const servers = [await serveSignIn(), await serveSignIn()]
    const wallet = createWallet()
    const signature = wallet.sign((await nonceOf(server, wallet)).message)
    const replies = await Promise.all(
      servers.flatMap((server) => Array.from({ length: 10 }, () => verify(server, wallet.address, signature))),
    )
    const codes = replies.map((reply) => (reply.statusCode === 200 ? 'ok' : reply.json().code))
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1)
    expect(codes.filter((code) => code === 'NONCE_INVALID')).toHaveLength(19)
    expect(await sessionsOf(wallet)).toBe(1)
  })

  it('needs a nonce that was asked for and has not expired', async () => {
    const wallet = createWallet()
    expect((await verify(server, wallet.address, wallet.sign('anything'))).json().code).toBe('NONCE_INVALID')
    const { message } = await nonceOf(server, wallet)
    await expireNonce(wallet)
    expect((await verify(server, wallet.address, wallet.sign(message))).json().code).toBe('NONCE_INVALID')
    expect(await sessionsOf(wallet)).toBe(0)
  })

  it('is refused for a wrong signature, which leaves the nonce to its owner', async () => {
    const [wallet, thief] = [createWallet(), createWallet()]
    const { message, nonce } = await nonceOf(server, wallet)
    const theirs = await nonceOf(server, thief)
    const good = wallet.sign(message)
    const wrong = [
      thief.sign(message),
      wallet.sign(theirs.message),
      wallet.sign(`${message} `),
      wallet.sign(message.replace('market.example', 'evil.example')),
      wallet.sign(nonce),
      base58.encode(malleate(base58.decode(good))),
      base58.encode(Buffer.alloc(64)),
      base58.encode(randomBytes(64)),
    ]
    for (const signature of wrong) {
      const reply = await verify(server, wallet.address, signature)
      expect(statusAndCode(reply)).toEqual([401, 'SIGNATURE_INVALID'])
    }
    expect((await verify(server, thief.address, good)).json().code).toBe('SIGNATURE_INVALID')
    expect((await verify(server, wallet.address, good)).statusCode).toBe(200)
  })

  it.each(smallOrderKeys.map((key) => [key.toString('hex'), key] as const))(
    'is refused under the small-order key %s',
    async (_hex, key) => {
      const address = base58.encode(key)
      const { message } = (await askNonce(server, address)).json()
      const forged = forgeSignature(key, Buffer.from(message))
      expect(satisfiesEquation(key, Buffer.from(message), forged)).toBe(true)
      const reply = await verify(server, address, base58.encode(forged))
      expect(statusAndCode(reply)).toEqual([401, 'SIGNATURE_INVALID'])
    },
  )

  it('reports a new wallet until the report succeeds', async () => {
    const heard: string[] = []
    let deaf = true
    const onFirstSignIn = async (wallet: string) => {
      if (deaf) throw Object.assign(new Error('lost'), { code: '57P01' })
      heard.push(wallet)
    }
    const server = await serveSignIn({ onFirstSignIn })
    const wallet = createWallet()
    const signature = wallet.sign((await nonceOf(server, wallet)).message)
    expect((await verify(server, wallet.address, signature)).json().code).toBe('DATABASE_DOWN')
    deaf = false
    expect((await verify(server, wallet.address, signature)).statusCode).toBe(200)
    await signIn(server, wallet)
    expect(heard).toEqual([wallet.address])
  })

  it('refuses any random key and signature', () => {
    fc.assert(
      fc.property(bytes(32), bytes(64), fc.string(), (key, signature, text) => {
        return !isSignedBy(base58.encode(key), Buffer.from(text), signature)
      }),
    )
  })
})

function bytes(length: number) {
  return fc.uint8Array({ minLength: length, maxLength: length })
}

describe('a session JWT', () => {
  it('counts only with our signature, our algorithm and a live session of its wallet', async () => {
    const [wallet, other] = [createWallet(), createWallet()]
    const token = await signIn(server, wallet)
    const [head = '', body = '', signature = ''] = token.split('.')
    const claims: { sub: string; jti: string; exp: number } = JSON.parse(Buffer.from(body, 'base64url').toString())
    const ours = createSigner({ key: JWT_SECRET, algorithm: 'HS256' })
    const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')

    const dead = [
      'nonsense',
      `${head}.${body}.`,
      `${unsigned}.${body}.`,
      `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: other.address })).toString('base64url')}.${signature}`,
      createSigner({ key: 'another secret of 32 characters!', algorithm: 'HS256' })(claims),
      createSigner({ key: JWT_SECRET, algorithm: 'HS512' })(claims),
      ours({ ...claims, sub: other.address }),
      ours({ ...claims, jti: '00000000-0000-4000-8000-000000000000' }),
      ours({ ...claims, jti: "' or true --" }),
      ours({ ...claims, exp: Math.floor(Date.now() / 1000) - 10 }),
      ours({ sub: claims.sub, jti: claims.jti }),
    ]
    for (const forged of dead) {
      const reply = await whoAmI(server, forged)
      expect(statusAndCode(reply)).toEqual([401, 'SESSION_ENDED'])
    }
    expect((await whoAmI(server, token)).statusCode).toBe(200)
    await sql`update sessions set expires_at = now() where id = ${claims.jti}::uuid`.execute(opened.database)
    expect((await whoAmI(server, token)).json().code).toBe('SESSION_ENDED')
  })

  it('is required', async () => {
    for (const headers of [{}, { authorization: 'Basic abc' }, { authorization: 'Bearer' }]) {
      const reply = await server.inject({ url: '/api/auth/me', headers })
      expect(statusAndCode(reply)).toEqual([401, 'UNAUTHORIZED'])
    }
  })
})

describe('what expired', () => {
  it('is deleted, and nothing else', async () => {
    const [gone, kept] = [createWallet(), createWallet()]
    const [deadToken, liveToken] = [await signIn(server, gone), await signIn(server, kept)]
    await nonceOf(server, gone)
    const { nonce } = await nonceOf(server, kept)
    await expireNonce(gone)
    await sql`update sessions set expires_at = now() - interval '1 second' where wallet_address = ${gone.address}`.execute(opened.database)

    await deleteExpired(opened.database)
    expect(await sessionsOf(gone)).toBe(0)
    expect((await sql`select from sign_in_nonces where wallet_address = ${gone.address}`.execute(opened.database)).rows).toHaveLength(0)
    expect((await whoAmI(server, deadToken)).statusCode).toBe(401)
    expect((await whoAmI(server, liveToken)).statusCode).toBe(200)
    expect((await nonceOf(server, kept)).nonce).toBe(nonce)
  })
})

describe('a server whose database takes no writes', () => {
  it('answers a sign-in as any call during an outage', async () => {
    const { standby, stop } = await startPrimaryAndStandby()
    onTestFinished(stop)
    const { database, close } = connectDatabase(standby.url, () => undefined)
    onTestFinished(close)
    const server = await serveSignIn({ database })
    const wallet = createWallet()
    for (const reply of [await askNonce(server, wallet.address), await verify(server, wallet.address, wallet.sign('anything'))])
      expect(statusAndCode(reply)).toEqual([503, 'DATABASE_DOWN'])
  })
})
