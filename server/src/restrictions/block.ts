import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Block } from '@juicebar/contract/schemas'

/** A block as stored. */
export interface BlockRow {
  walletAddress: WalletAddress
  reason: string
  until: Date | null
  takesListings: boolean
  actor: string
  since: Date
}

export function blockReply({ walletAddress, reason, until, takesListings, actor, since }: BlockRow): Block {
  return { walletAddress, reason, until: until?.toISOString() ?? null, removeListings: takesListings, since: since.toISOString(), actor }
}

/** ISO 8601 with an offset: without one, a time means another moment everywhere. */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/**
 * Reads when a block ends.
 * @throws BAD_REQUEST if the text is no time. Whether it is in the future, the database's clock decides.
 */
export function readUntil(text: string | undefined): Date | null {
  if (text === undefined) return null
  const until = new Date(text)
  if (!moment.test(text) || Number.isNaN(until.getTime())) {
    throw new Failure('BAD_REQUEST', { detail: 'until must be a time such as 2030-01-31T12:00:00Z.' })
  }
  return until
}

/** The end of a page of blocks, latest first. */
export interface BlockPosition {
  /** In microseconds since 1970, the database's precision. */
  sinceMicros: bigint
  wallet: WalletAddress
}

export function blockCursor({ sinceMicros, wallet }: BlockPosition): string {
  return `${sinceMicros}.${wallet}`
}

/**
 * Reads what `blockCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parseBlockCursor(cursor: string): BlockPosition {
  const [micros = '', text = '', ...rest] = cursor.split('.')
  const wallet = parseWalletAddress(text)
  if (!/^\d{1,17}$/.test(micros) || !wallet || rest.length > 0) throw new Failure('CURSOR_INVALID')
  return { sinceMicros: BigInt(micros), wallet }
}
