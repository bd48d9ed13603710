import { randomUUID } from 'node:crypto'

import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'

import { isSessionAlive, revokeSession } from '../../src/sign-in/sign-in-store.ts'
import { useDatabase } from '../support/fresh-database.ts'
import { createWallet } from './wallet.ts'

interface TestSession {
  id: string
  wallet: WalletAddress
}

const opened = useDatabase()
const wallets = Array.from({ length: 4 }, () => parseWalletAddress(createWallet().address)!)
beforeAll(async () => void (await opened.pool.query('insert into players (wallet_address) select unnest($1::text[])', [wallets])))

async function openSessions(): Promise<TestSession[]> {
  const sessions = wallets.map((wallet) => ({ id: randomUUID(), wallet }))
  await opened.pool.query(
    `insert into sessions (id, wallet_address, expires_at)
     select id, wallet, now() + interval '1 hour' from unnest($1::uuid[], $2::text[]) as u(id, wallet)`,
    [sessions.map(({ id }) => id), wallets],
  )
  return sessions
}

const isAlive = ({ id, wallet }: TestSession) => isSessionAlive(opened.database, id, wallet)

it('a session is alive for its own wallet only, among others that are asked about at the same time', async () => {
  const [mine, yours] = (await openSessions()) as [TestSession, TestSession, ...TestSession[]]
  const stolen = { id: mine.id, wallet: yours.wallet }
  const unknown = { id: randomUUID(), wallet: mine.wallet }
  expect(await Promise.all([mine, stolen, unknown, yours, mine].map(isAlive))).toEqual([true, false, false, true, true])
})

const steps = fc.array(fc.record({ kind: fc.constantFrom('check', 'check', 'check', 'sign out', 'wait'), session: fc.nat(3) }), {
  maxLength: 40,
})

it('a session that was signed out is refused at once, and no other is, however many are checked at the same time', async () => {
  const property = fc.asyncProperty(steps, async (steps) => {
    const sessions = await openSessions()
    const signingOut = new Set<TestSession>()
    const signedOut = new Set<TestSession>()
    const check = async (session: TestSession) => {
      const wasSignedOut = signedOut.has(session)
      const alive = await isAlive(session)
      if (wasSignedOut) expect(alive).toBe(false)
      // What was signed out meanwhile may be either.
      else if (!signingOut.has(session)) expect(alive).toBe(true)
    }
    const signOut = async (session: TestSession) => {
      signingOut.add(session)
      await revokeSession(opened.database, session.id)
      signedOut.add(session)
    }
    const calls: Promise<void>[] = []
    for (const { kind, session } of steps) {
      if (kind === 'check') calls.push(check(sessions[session]!))
      else if (kind === 'sign out') calls.push(signOut(sessions[session]!))
      else await calls.shift()
    }
    await Promise.all(calls)
  })
  await fc.assert(property)
})
