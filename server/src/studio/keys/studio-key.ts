import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseWalletAddress } from '@juicebar/contract/addresses'
import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { parseTime } from '@juicebar/contract/formats/time'
import { ROOT_KEY, type Scope } from '@juicebar/contract/scopes'
import { type StudioKey } from '../../http/credentials.ts'

type KeyReply = Reply<'studioKeys'>['keys'][number]

/** A requested key. */
export interface KeyWish {
  name: string
  scopes: readonly Scope[]
  dailyCreditLimit: number | null
  expiresAt: Date | null
  /** The id of the key whose idempotency keys it takes over. */
  replaces: string | null
}

/** A key as found by its secret. */
export interface KnownKey {
  id: string
  name: string
  secretHash: Buffer
  scopes: Scope[]
  namespace: string
  dailyCreditLimit: bigint | null
  expiresAt: Date | null
  isRevoked: boolean
  isExpired: boolean
  /** Its last use was recorded within this minute. */
  isUseRecorded: boolean
}

/** A key as lists show it. */
export interface KeyRow {
  id: string
  name: string
  scopes: Scope[]
  dailyCreditLimit: bigint | null
  creditedToday: bigint
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
  createdBy: string
}

interface WishFields {
  name: string
  scopes: readonly Scope[]
  dailyCreditLimit?: number | null
  expiresAt?: string | null
  replaces?: string | null
}

const SECRET_BYTES = 32
const wellFormed = /^jb_[\w-]{43}$/

/** A new secret: 256 random bits, with a prefix by which people and secret scanners recognise it. */
export function newSecret(): string {
  return `jb_${randomBytes(SECRET_BYTES).toString('base64url')}`
}

/** The stored hash of a secret; undefined if no key can have a secret of this form. */
export function hashSecret(secret: string): Buffer | undefined {
  return wellFormed.test(secret) ? createHash('sha256').update(secret).digest() : undefined
}

/**
 * The key that was found by the hash of its secret.
 * @throws STUDIO_KEY_INVALID, KEY_EXPIRED or KEY_REVOKED
 */
export function requireUsable(found: KnownKey | undefined, hash: Buffer): StudioKey {
  if (!found || !timingSafeEqual(found.secretHash, hash)) throw new Failure('STUDIO_KEY_INVALID')
  if (found.isRevoked) throw new Failure('KEY_REVOKED')
  if (found.isExpired) throw new Failure('KEY_EXPIRED')
  const { id, name, scopes, namespace, expiresAt } = found
  const dailyCreditLimit = found.dailyCreditLimit === null ? null : Number(found.dailyCreditLimit)
  return { kind: 'key', id, name, scopes, namespace, dailyCreditLimit, expiresAt }
}

/** @throws BAD_REQUEST if the name could be mistaken in the log for the root key or a staff wallet, or if the expiry is not a time */
export function readKeyWish({ name, scopes, dailyCreditLimit = null, expiresAt = null, replaces = null }: WishFields): KeyWish {
  if (name.trim().toLowerCase() === ROOT_KEY) throw new Failure('BAD_REQUEST', { detail: `name must not be "${ROOT_KEY}".` })
  if (parseWalletAddress(name.trim())) throw new Failure('BAD_REQUEST', { detail: 'name must not be a wallet address.' })
  const expiry = expiresAt === null ? null : parseTime(expiresAt)
  if (expiry === undefined) throw new Failure('BAD_REQUEST', { detail: 'expiresAt is no time of any calendar.' })
  return { name, scopes, dailyCreditLimit, expiresAt: expiry, replaces }
}

/**
 * A key can only make keys that may do as much as itself, or less.
 * @throws KEY_TOO_POWERFUL
 */
export function requireNoMorePower(maker: StudioKey, wish: KeyWish): void {
  const beyond = wish.scopes.filter((scope) => !maker.scopes.includes(scope))
  if (beyond.length > 0) throw new Failure('KEY_TOO_POWERFUL', { detail: `the scope ${beyond.join(', ')} is missing.` })
  if (maker.kind !== 'key') return
  const { dailyCreditLimit, expiresAt } = maker
  if (dailyCreditLimit !== null && (wish.dailyCreditLimit ?? Infinity) > dailyCreditLimit) {
    throw new Failure('KEY_TOO_POWERFUL', { detail: `dailyCreditLimit must be at most ${dailyCreditLimit}.` })
  }
  if (expiresAt !== null && (wish.expiresAt?.getTime() ?? Infinity) > expiresAt.getTime()) {
    throw new Failure('KEY_TOO_POWERFUL', { detail: `expiresAt must be ${expiresAt.toISOString()} or earlier.` })
  }
}

/**
 * A key only ends or replaces itself and those below it. The staff and the root key any.
 * @param line the key in question, and those above it
 * @throws KEY_NOT_FOUND if there is none; NOT_YOUR_KEY
 */
export function requireOwn(caller: StudioKey, line: readonly string[]): void {
  if (line.length === 0) throw new Failure('KEY_NOT_FOUND')
  if (caller.kind === 'key' && !line.includes(caller.id)) throw new Failure('NOT_YOUR_KEY')
}

/** A key as the API shows it, without its secret. */
export function keyReply({ dailyCreditLimit, creditedToday, expiresAt, revokedAt, lastUsedAt, createdAt, ...key }: KeyRow): KeyReply {
  return {
    ...key,
    dailyCreditLimit: dailyCreditLimit === null ? null : Number(dailyCreditLimit),
    creditedToday: dailyCreditLimit === null ? null : Number(creditedToday),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}
