import { type Reply } from '@juicebar/contract/calls'
import { type LedgerKind } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { partPrice } from '@juicebar/contract/money'
import { parseTradeCursor, tradeCursor, tradeId } from './figures.ts'

/** The source of an entry: an item of a settled purchase, or an order of the studio. */
export type EntryPosition =
  | { at: Date; purchaseId: string; place: number; orderId: null }
  | { at: Date; purchaseId: null; place: null; orderId: bigint }

/** Drinks that a player received or gave, and what was paid for them. */
export interface LedgerEntry {
  position: EntryPosition
  kind: LedgerKind
  tokenType: TokenType
  amount: number
  /** What the seller received; 0 if nothing was paid, as when the chain has undone the payment. */
  lamports: bigint
  /** Paid by a buyer, on top of that. */
  feeLamports: bigint
  signature: string | null
  /** Null for the studio. */
  counterparty: string | null
  isUndone: boolean
}

/** An entry as replies carry it. */
export function entryReply(entry: LedgerEntry): Reply<'myLedger'>['entries'][number] {
  const { position, kind, tokenType, amount, lamports, feeLamports, signature, counterparty, isUndone } = entry
  return {
    id: position.orderId === null ? tradeId(position) : String(position.orderId),
    kind,
    tokenType,
    amount,
    lamports: lamports.toString(),
    feeLamports: feeLamports.toString(),
    signature,
    counterparty,
    undone: isUndone,
    at: position.at.toISOString(),
  }
}

/** A position as replies carry it: the next page starts after it. */
export function entryCursor(position: EntryPosition): string {
  if (position.orderId !== null) return `${position.at.getTime()}.${position.orderId}`
  return tradeCursor({ ...position, settledAt: position.at })
}

const orderCursor = /^(\d{1,14})\.(\d{1,18})$/

/**
 * Reads what `entryCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parseEntryCursor(cursor: string): EntryPosition {
  const [, millis, orderId] = orderCursor.exec(cursor) ?? []
  if (millis !== undefined && orderId !== undefined) {
    return { at: new Date(Number(millis)), purchaseId: null, place: null, orderId: BigInt(orderId) }
  }
  const { settledAt, purchaseId, place } = parseTradeCursor(cursor)
  return { at: settledAt, purchaseId, place, orderId: null }
}

export type Profit = Reply<'profit'>

/** The movements from which a profit is computed. */
export type Movement = Pick<LedgerEntry, 'kind' | 'tokenType' | 'amount' | 'lamports' | 'feeLamports' | 'isUndone'>

/** Drinks, and their total cost. */
interface AtCost {
  amount: number
  basis: bigint
}

/** The part of a movement that has not left yet. */
interface Leaving {
  movement: Movement
  left: number
}

/** A player's holdings of one drink, and where the rest went. */
interface Book {
  bought: AtCost & { fee: bigint }
  credited: { amount: number }
  sold: AtCost & { lamports: bigint }
  used: AtCost
  lost: AtCost
  /** The drinks held, oldest first. */
  layers: Queue<AtCost>
  /** Drinks that left before they arrived, according to the times of overlapping transactions. They are taken from the next arrivals. */
  waiting: Queue<Leaving>
}

/** First in, first out. Layers that were used up stay in the list, so that taking is cheap. */
interface Queue<T> {
  list: T[]
  first: number
}

/** A player's holdings of every drink, up to the point to which the ledger was followed. */
export type Books = Map<TokenType, Book>

/**
 * Applies entries of a player's ledger, in order; applying all at once or page by page gives the same result. First in, first out: a part
 * of a layer costs its share rounded up to a lamport, and the rest keeps what is left.
 */
export function followLedger(books: Books, movements: readonly Movement[]): void {
  for (const movement of movements) {
    const book = bookOf(books, movement.tokenType)
    if (movement.kind === 'bought' || movement.kind === 'credited') receive(book, movement)
    else book.waiting.list.push({ movement, left: movement.amount })
    release(book)
  }
}

function bookOf(books: Books, tokenType: TokenType): Book {
  const known = books.get(tokenType)
  if (known) return known
  const nothing = () => ({ amount: 0, basis: 0n })
  const book: Book = {
    bought: { ...nothing(), fee: 0n },
    credited: { amount: 0 },
    sold: { ...nothing(), lamports: 0n },
    used: nothing(),
    lost: nothing(),
    layers: { list: [], first: 0 },
    waiting: { list: [], first: 0 },
  }
  books.set(tokenType, book)
  return book
}

/** Bought drinks cost what was paid, including the fee. Drinks received for free cost nothing. */
function receive(book: Book, { kind, amount, lamports, feeLamports, isUndone }: Movement): void {
  const isPaid = kind === 'bought' && !isUndone
  const basis = isPaid ? lamports + feeLamports : 0n
  if (isPaid) {
    add(book.bought, { amount, basis })
    book.bought.fee += feeLamports
  } else {
    book.credited.amount += amount
  }
  book.layers.list.push({ amount, basis })
}

/** Takes departing drinks from the oldest layers, as long as there are any. */
function release(book: Book): void {
  for (;;) {
    const leaving = book.waiting.list[book.waiting.first]
    const layer = book.layers.list[book.layers.first]
    if (!leaving || !layer) return
    const amount = Math.min(leaving.left, layer.amount)
    const basis = partPrice({ amount: layer.amount, lamports: layer.basis }, amount)
    add(fateOf(book, leaving.movement), { amount, basis })
    layer.amount -= amount
    layer.basis -= basis
    leaving.left -= amount
    if (layer.amount === 0) book.layers.first++
    if (leaving.left === 0) {
      book.waiting.first++
      const { kind, isUndone, lamports } = leaving.movement
      if (kind === 'sold' && !isUndone) book.sold.lamports += lamports
    }
  }
}

/** Drinks delivered for a payment that the chain has undone are lost: they left, and nothing was received for them. */
function fateOf(book: Book, { kind, isUndone }: Movement): AtCost {
  if (kind === 'used') return book.used
  return isUndone ? book.lost : book.sold
}

function add(sum: AtCost, { amount, basis }: AtCost): void {
  sum.amount += amount
  sum.basis += basis
}

/** The result, ordered by the drinks' types. */
export function profitOf(books: Books): Profit {
  const inOrder = [...books].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    drinks: inOrder.map(([tokenType, { bought, credited, sold, used, lost, layers }]) => ({
      tokenType,
      bought: { ...costReply(bought), fee: bought.fee.toString() },
      credited: { ...credited },
      sold: { ...costReply(sold), lamports: sold.lamports.toString(), profit: (sold.lamports - sold.basis).toString() },
      used: costReply(used),
      lost: costReply(lost),
      held: costReply(held(layers)),
    })),
    complete: [...books.values()].every(({ waiting }) => waiting.first === waiting.list.length),
  }
}

function held({ list, first }: Queue<AtCost>): AtCost {
  const sum = { amount: 0, basis: 0n }
  for (const layer of list.slice(first)) add(sum, layer)
  return sum
}

function costReply({ amount, basis }: AtCost): { amount: number; basis: string } {
  return { amount, basis: basis.toString() }
}
