import { readFile, rename, writeFile } from 'node:fs/promises'

import { type Signature } from '@juicebar/contract/addresses'
import Type from 'typebox'
import { Compile } from 'typebox/compile'

import { type HistoryWalk } from '../purchases/reconciliation/co-signer/history-walk.ts'
import { type PublicAudit } from './public-audit.ts'

const Whole = Type.String({ pattern: '^[0-9]{1,20}$' })
const Payments = Type.Array(Type.Object({ signature: Type.String(), lamports: Whole, since: Type.Number() }))
const walk = { address: Type.String(), doneSlot: Whole, topSlot: Type.Union([Whole, Type.Null()]) }
const ProgressSchema = Type.Object({
  version: Type.Literal(1),
  market: Type.String(),
  genesisHash: Type.String(),
  keys: Type.Array(Type.Object({ ...walk, decidedTo: Type.Union([Type.String(), Type.Null()]) })),
  signed: Payments,
  traded: Payments,
  matched: Type.Array(Type.Object({ signature: Type.String(), since: Type.Number() })),
  matchedCount: Type.Number(),
  excused: Type.Array(Type.String()),
  tradesReadTo: Type.Number(),
  unmatchedAfter: Type.Union([Type.String(), Type.Null()]),
})
type Progress = Type.Static<typeof ProgressSchema>

/**
 * Reads what an earlier audit has saved.
 * @returns undefined if there is no such file
 * @throws Error with a sentence if the file holds something else
 */
export async function readProgress(path: string): Promise<PublicAudit | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const saved = parse(text)
  if (!saved) throw new Error(`${path} is not the progress of a public audit. Name another file with --progress.`)
  const payments = (list: Progress['signed']) =>
    new Map(list.map(({ signature, lamports, since }) => [signature as Signature, { lamports: BigInt(lamports), since }]))
  return {
    ...saved,
    keys: new Map(saved.keys.map(({ address, ...rest }) => [address, walkOf(rest)])),
    signed: payments(saved.signed),
    traded: payments(saved.traded),
    matched: new Map(saved.matched.map(({ signature, since }) => [signature as Signature, since])),
    excused: new Set(saved.excused as Signature[]),
    unmatchedAfter: saved.unmatchedAfter ?? undefined,
  }
}

/** Saves how far an audit has come: the file is the earlier one or this one, whenever the process ends. */
export async function saveProgress(path: string, audit: PublicAudit): Promise<void> {
  const payments = (map: PublicAudit['signed']) =>
    [...map].map(([signature, { lamports, since }]) => ({ signature, lamports: String(lamports), since }))
  const progress: Progress = {
    version: 1,
    market: audit.market,
    genesisHash: audit.genesisHash,
    keys: [...audit.keys].map(([address, { doneSlot, topSlot, decidedTo }]) => {
      return { address, doneSlot: String(doneSlot), topSlot: topSlot === null ? null : String(topSlot), decidedTo }
    }),
    signed: payments(audit.signed),
    traded: payments(audit.traded),
    matched: [...audit.matched].map(([signature, since]) => ({ signature, since })),
    matchedCount: audit.matchedCount,
    excused: [...audit.excused],
    tradesReadTo: audit.tradesReadTo,
    unmatchedAfter: audit.unmatchedAfter ?? null,
  }
  await writeFile(`${path}.new`, `${JSON.stringify(progress)}\n`)
  await rename(`${path}.new`, path)
}

function parse(text: string): Progress | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Compile(ProgressSchema).Check(value) ? value : undefined
  } catch {
    return undefined
  }
}

function walkOf({ doneSlot, topSlot, decidedTo }: Omit<Progress['keys'][number], 'address'>): HistoryWalk {
  return { doneSlot: BigInt(doneSlot), topSlot: topSlot === null ? null : BigInt(topSlot), decidedTo: decidedTo as Signature | null }
}
