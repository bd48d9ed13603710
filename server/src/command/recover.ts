import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Recovery } from '@juicebar/contract/schemas'
import { type CommandCall, UsageError, typedCommand } from './commands.ts'

/** The exit codes of `npm run studio -- recover`. */
const EXIT = { clean: 0, cases: 1, unchecked: 2 } as const
const NOT_CHECKED = 2

const POLL_MILLIS = 500
/** How often progress is printed if it cannot be overwritten. */
const LINE_MILLIS = 10_000
/** Waits for a restarting server: another server may continue its recovery, or the same one once it is back. */
const AWAY_MILLIS = 120_000

export const recoverHelp = `  recover [--since 2030-01-31T12:00:00Z]
      after a restore: pause the market, look on the chain for payments that the database has lost, and open a case for each. Repeat it
      until it ends with 0, which opens the market. Interrupted, it goes on where it was. Ends with 0 if nothing is missing, 1 if it has
      opened cases, 2 if something could not be checked. --since: the time of the backup, if servers have worked on the restored
      database before the market was paused
  recover --accept <id> --reason <reason>
      open the market although that recovery has opened cases or could not check everything`

/** How calls reach the product. `isAway`: whether an error may pass by itself. */
export interface Connection {
  send: (call: CommandCall) => Promise<unknown>
  isAway: (error: unknown) => boolean
}

type Wish = { kind: 'accept'; id: string; reason: string } | { kind: 'recover'; since: string | undefined }

/**
 * Runs a recovery to its end, with its progress on standard error and its findings on standard output.
 * @returns the exit code
 */
export async function recover(typed: readonly string[], connection: Connection): Promise<number> {
  try {
    const wish = readWish(typed)
    if (wish.kind === 'accept') {
      const path = `/recoveries/${encodeURIComponent(wish.id)}/accept`
      await connection.send({ method: 'POST', path, body: { reason: wish.reason } })
      process.stdout.write('The market is open, unless it is paused for another reason.\n')
      return 0
    }
    const body = wish.since === undefined ? {} : { since: wish.since }
    const done = await untilDone(connection, await readReply(connection, { method: 'POST', path: '/recoveries', body }))
    process.stdout.write(recoveryText(done))
    return done.outcome === null ? NOT_CHECKED : EXIT[done.outcome]
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return NOT_CHECKED
  }
}

/** What a finished recovery has found, for a terminal. */
export function recoveryText({
  id,
  outcome,
  casesOpened,
  progress,
  payments,
  refunds,
  refundsCount,
  unchecked,
  uncheckedCount,
  limits,
  since,
  marketPaused,
}: Recovery): string {
  const accept = typedCommand('studio', `recover --accept ${id} --reason "…"`)
  const verdicts = {
    clean: 'Nothing is missing. The market is open, unless it is paused for another reason.',
    cases: `${casesOpened} ${casesOpened === 1 ? 'case was' : 'cases were'} opened for payments that the database has lost. Look at them with "${typedCommand('studio', 'case list')}", then recover again. If somebody keeps making them with an old reference, open the market with: ${accept}`,
    unchecked: `No payment is missing as far as could be checked. Recover again, or open the market with: ${accept}`,
  }
  const searched = `${count(progress.walletsListed, 'wallet')} since ${since}, ${count(progress.transactionsRead, 'transaction')}, ${payments} of this market.`
  return [
    verdicts[outcome ?? 'unchecked'],
    `Searched: ${searched}`,
    ...(marketPaused && outcome !== 'unchecked' ? ['The market stays paused until a recovery finds nothing, or you accept this one.'] : []),
    ...section('Refunds that the database does not know', refunds, refundsCount),
    ...section('Not checked', unchecked, uncheckedCount),
    ...section('Cannot be found', limits, limits.length),
    '',
  ].join('\n')
}

function readWish(typed: readonly string[]): Wish {
  const options = { since: { type: 'string' }, accept: { type: 'string' }, reason: { type: 'string' } } as const
  const { since, accept, reason } = parse(() => parseArgs({ args: [...typed], options, strict: true }).values)
  if (accept === undefined && reason === undefined) return { kind: 'recover', since }
  if (since !== undefined || !accept || !reason) throw new UsageError(`That is not how it goes. It is:\n${recoverHelp}`)
  return { kind: 'accept', id: accept, reason }
}

function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split('. ')[0] : String(error)}. It is:\n${recoverHelp}`)
  }
}

async function readReply({ send }: Connection, call: CommandCall): Promise<Recovery> {
  // Both sides of this call are this product, checked by the same schema.
  return ((await send(call)) as { recovery: Recovery }).recovery
}

async function untilDone(connection: Connection, started: Recovery): Promise<Recovery> {
  const show = createProgress()
  let answeredAt = performance.now()
  for (let recovery = started; ;) {
    if (recovery.status === 'done') {
      show.end()
      return recovery
    }
    show.progress(recovery)
    await sleep(POLL_MILLIS)
    try {
      recovery = await readReply(connection, { method: 'GET', path: `/recoveries/${recovery.id}` })
      answeredAt = performance.now()
    } catch (error) {
      if (!connection.isAway(error) || performance.now() - answeredAt >= AWAY_MILLIS) throw error
    }
  }
}

/** Shows progress on standard error: in place on a terminal, otherwise as a line now and then. */
function createProgress() {
  const terminal = process.stderr.isTTY
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    progress: (recovery: Recovery) => {
      if (!terminal && performance.now() - shownAt < LINE_MILLIS) return
      shownAt = performance.now()
      const text = progressText(recovery)
      process.stderr.write(terminal ? `\r\u001b[K${text}` : `${text}\n`)
    },
    end: () => void (terminal && process.stderr.write('\n')),
  }
}

function progressText({ part, casesOpened, progress }: Recovery): string {
  const { blockHeight, expiryHeight, wallets, walletsListed, transactions, transactionsRead } = progress
  const found = casesOpened > 0 ? `, ${count(casesOpened, 'case')} opened` : ''
  switch (part) {
    case 'waiting':
      return `The market is paused. Until block ${expiryHeight ?? '…'} a payment signed before may still land; the chain is at ${blockHeight ?? '…'}`
    case 'listing':
      return `${walletsListed} of ${count(wallets, 'wallet')} listed, ${count(transactions, 'transaction')} found`
    case 'reading':
      return `${transactionsRead} of ${count(transactions, 'transaction')} read${found}`
  }
}

function section(title: string, lines: readonly string[], total: number): string[] {
  if (total === 0) return []
  const more = total > lines.length ? [`  … and ${total - lines.length} more`] : []
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`), ...more]
}

function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'}`
}
