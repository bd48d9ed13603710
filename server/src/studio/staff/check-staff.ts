import { randomUUID } from 'node:crypto'
import { parse as parseQuery } from 'node:querystring'
import { parseSignature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { base58 } from '@scure/base'
import { type Reply, type Body } from '@juicebar/contract/calls'
import { MAX_STAFF, CHALLENGE_SECONDS } from '@juicebar/contract/limits'
import { type SignedCall, signedCalls } from '@juicebar/contract/endpoints/signed'
import { schemas } from '@juicebar/contract/schemas'
import { type CallSchema } from '@juicebar/contract/schemas/call'
import { cannotSign, isSignedBy } from '../../chain/transactions/keys.ts'
import { type Database } from '../../database/connect.ts'
import { type SignedRequest, type StaffLookup, type StudioKey } from '../../http/credentials.ts'
import {
  challengeRefusal,
  hashBody,
  staffOf,
  requireNoMoreThan,
  type StaffWish,
  challengeMessage,
  findSignedCall,
  type SignedAction,
} from './staff.ts'
import {
  findChallenge,
  spendChallenge,
  findStaff,
  listStaff,
  isStaffFull,
  lockStaff,
  saveRemoval,
  saveStaff,
  insertChallenge,
} from './staff-store.ts'
import { inTransaction } from '../../database/transact.ts'
import { checkSigners } from '../../inventory/check-signers.ts'
import { insertLogEntry } from '../log/studio-log-store.ts'
import { createItemCheck } from '../../http/validation.ts'
import { isId } from '@juicebar/contract/ids'

/**
 * Uses up the challenge of a call, which its wallet has signed. Only the right signature, with the right call, uses it up.
 * @throws CHALLENGE_NEEDED and the other codes that begin so
 */
async function checkChallenge(database: Database, { wallet, challenge, signature, call, body }: SignedRequest): Promise<void> {
  if (challenge === undefined || signature === undefined) throw new Failure('CHALLENGE_NEEDED')
  const asked = { walletAddress: wallet, call, bodyHash: hashBody(body) }
  const find = async () => (isId(challenge) ? findChallenge(database, challenge) : undefined)
  const refusal = challengeRefusal(await find(), asked, (message) => isSigned(wallet, message, signature))
  if (refusal) throw new Failure(refusal)
  if (await spendChallenge(database, challenge)) return
  // In the meantime, it was used elsewhere or expired.
  throw new Failure(challengeRefusal(await find(), asked, () => true) ?? 'CHALLENGE_USED')
}

function isSigned(wallet: WalletAddress, message: string, text: string): boolean {
  const signature = parseSignature(text)
  return signature !== undefined && isSignedBy(wallet, Buffer.from(message), base58.decode(signature))
}

/**
 * Finds the staff by their wallets, and checks what they sign. It asks the database each time, so that a removed wallet is refused at once,
 * everywhere.
 */
export function createStaffCheck(database: Database, named: ReadonlySet<WalletAddress>): StaffLookup {
  return {
    find: async (wallet) => {
      const staff = await readStaff(database, wallet, named)
      return staff ? { kind: 'staff', name: wallet, wallet, scopes: staff.scopes, namespace: '' } : undefined
    },
    checkSignature: (signed) => checkChallenge(database, signed),
  }
}

type Staff = Reply<'setStaff'>['staff']

/** What a wallet may do at the desk; null if it is not on the staff. */
export async function readStaff(database: Database, wallet: WalletAddress, named: ReadonlySet<WalletAddress>): Promise<Staff | null> {
  return staffOf(wallet, await findStaff(database, wallet), named) ?? null
}

/** The whole staff, by wallet. */
export async function readAllStaff(database: Database, named: ReadonlySet<WalletAddress>): Promise<Staff[]> {
  const rows = new Map((await listStaff(database, [...named])).map((row) => [row.walletAddress, row]))
  const wallets = [...new Set([...rows.keys(), ...named])].toSorted()
  return wallets.flatMap((wallet) => staffOf(wallet, rows.get(wallet), named) ?? [])
}

interface Change {
  maker: StudioKey
  reason: string | undefined
  /** The wallets from the setting. */
  named: ReadonlySet<WalletAddress>
}

/**
 * Puts a wallet on the staff, or changes its scopes and name.
 * @throws WALLET_CANNOT_SIGN; STAFF_TOO_POWERFUL; TOO_MANY_STAFF
 */
export async function recordStaff(database: Database, wish: StaffWish, { maker, reason, named }: Change): Promise<Staff> {
  requireNoMoreThan(maker, wish)
  if (!(await checkSigners(database, [wish.wallet])).has(wish.wallet)) throw cannotSign(wish.wallet)
  return inTransaction(database, async (tx) => {
    const before = await lockStaff(tx, wish.wallet)
    const isNew = !before || before.removedAt !== null
    if (isNew && (await isStaffFull(tx))) throw new Failure('TOO_MANY_STAFF', { detail: String(MAX_STAFF) })
    const staff = staffOf(wish.wallet, await saveStaff(tx, wish, maker.name), named)
    if (!staff) throw new Error('a new member of the staff is missing')
    const words = `scopes: ${wish.scopes.join(', ')}`
    const entry = { actor: maker.name, call: 'setStaff', subject: wish.wallet } as const
    await insertLogEntry(tx, { ...entry, reason: reason === undefined ? words : `${reason} (${words})` })
    return staff
  })
}

/**
 * Removes a wallet from the staff: none of its later calls is answered, on any server, even if the setting names it. Idempotent.
 * @throws STAFF_NOT_FOUND if it was never on the staff
 */
export async function recordRemoval(database: Database, wallet: WalletAddress, { maker, reason, named }: Change): Promise<void> {
  await inTransaction(database, async (tx) => {
    const row = await lockStaff(tx, wallet)
    const staff = staffOf(wallet, row, named)
    if (!staff && !row) throw new Failure('STAFF_NOT_FOUND')
    if (!staff) return
    await saveRemoval(tx, { ...staff, wallet }, maker.name)
    await insertLogEntry(tx, { actor: maker.name, call: 'removeStaff', subject: wallet, reason: reason ?? null })
  })
}

/**
 * The text that a wallet of the staff signs for one call.
 * @param market the product's name and its host, from the settings
 * @throws SIGNATURE_NOT_NEEDED; the call's own failures for its body; TOO_MANY_REQUESTS
 */
export async function requestChallenge(
  database: Database,
  market: string,
  { key, asked }: { key: StudioKey; asked: Body<'requestChallenge'> },
): Promise<Reply<'requestChallenge'>['challenge']> {
  if (key.kind !== 'staff') throw new Failure('SIGNATURE_NOT_NEEDED', { detail: 'a studio key acts by itself.' })
  const { method, path, body: text = '' } = asked
  const found = findSignedCall({ method, path })
  if (!found) throw new Failure('SIGNATURE_NOT_NEEDED', { detail: 'it is not one of the calls that do.' })
  const action = { ...found, fields: readFields(found.name, path, text), call: `${method} ${path}`, bodyHash: hashBody(text) }

  const id = randomUUID()
  const message = challengeMessage(market, id, action)
  const { call, bodyHash } = action
  const issued = await insertChallenge(database, { id, message, walletAddress: key.wallet, call, bodyHash })
  if (!issued) throw new Failure('TOO_MANY_REQUESTS', { detail: `${CHALLENGE_SECONDS} seconds`, retryAfter: CHALLENGE_SECONDS })
  return { id, message, expiresAt: issued.expiresAt.toISOString(), millisLeft: issued.millisLeft }
}

const checks = new Map(
  signedCalls.map((name) => {
    const { body, querystring }: CallSchema = schemas[name]
    return [name, [body, querystring].map((part) => part && createItemCheck(part))] as const
  }),
)

/** The body and the query as the call would read them, so that the text describes what will be done. */
function readFields(name: SignedCall, path: string, text: string): SignedAction['fields'] {
  const [checkBody, checkQuery] = checks.get(name) ?? []
  const query = parseQuery(path.split('?').slice(1).join('?'))
  return { ...recordOf(checkQuery?.({ ...query })), ...recordOf(checkBody?.(parseJson(text))) }
}

/** Empty for a part that the call does not have. */
function recordOf(part: unknown): SignedAction['fields'] {
  return typeof part === 'object' && part !== null ? (part as SignedAction['fields']) : {}
}

function parseJson(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('BAD_REQUEST', { detail: 'body must be the JSON that the call sends.', cause })
  }
}
