import { EventEmitter, once } from 'node:events'
import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Audit } from '@juicebar/contract/schemas'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { continueAudit, type Working, readAudit, requestAudit, runAudit } from '../../../src/studio/audit/run-audits.ts'
import { type TradingWorld, useTradingWorld } from '../../purchases/trading-world.ts'

const TRADES = 12
const untilDone = { signal: new AbortController().signal }
const impatient = { downMillis: 0, busyMillis: 0 }

const world = useTradingWorld()
let signatures: Signature[]

beforeAll(async () => {
  const buyer = await world.createWallet()
  for (let n = 0; n < TRADES; n++) {
    const purchase = await world.holdNew(buyer)
    await world.submit(buyer, purchase, await world.signPayment(buyer, purchase))
    await world.untilStatus(purchase, 'settled')
  }
  const { rows } = await sql<{ signature: Signature }>('select signature from purchases order by id')
  signatures = rows.map((row) => row.signature)
})

/** Every payment became final long ago, one second after the other. */
beforeEach(async () => {
  await sql('delete from audits')
  await sql(
    `update purchases p set finalized_at = now() - interval '1 hour' + n * interval '1 second'
     from (select id, row_number() over (order by id) as n from purchases) o where o.id = p.id`,
  )
})

function sql<Row extends object>(text: string, values: unknown[] = []) {
  return world.connection.pool.query<Row>(text, values)
}

/** Changes a row behind the server's back, until the test ends. */
async function tamper(change: string, undo: string): Promise<void> {
  await sql(change)
  onTestFinished(async () => void (await sql(undo)))
}

const tamperWithPrices = (lamports: number, where = '') =>
  tamper(
    `update purchase_items set price_lamports = price_lamports + ${lamports} ${where}`,
    `update purchase_items set price_lamports = price_lamports - ${lamports} ${where}`,
  )

/** A server whose reads of the chain are recorded, and go to `read` first, which may hang or throw. */
function watching(read: (signature: Signature) => unknown = () => undefined) {
  const reads: Signature[] = []
  const deps = world.chainBut({
    transaction: async (signature, options) => {
      reads.push(signature)
      expect(options).toEqual({ spare: true })
      await read(signature)
      return world.chain.transaction(signature, options)
    },
  })
  return { deps, reads }
}

/** Requests an audit and has one server carry it out. */
async function audit(given: { full?: boolean; deps?: TradingWorld['deps'] } & Partial<Working> = {}): Promise<Audit> {
  const { full = false, deps = world.deps, ...working } = given
  const { id } = await requestAudit(world.database, { full })
  await continueAudit(deps, { ...untilDone, ...working })
  return readAudit(world.database, id)
}

describe('a money audit', () => {
  it('verifies every payment on chain, with what the chain budget leaves over', async () => {
    const { deps, reads } = watching()
    expect(await audit({ deps })).toMatchObject({
      status: 'done',
      ok: true,
      progress: { checked: TRADES, total: TRADES },
      violations: [],
      unchecked: [],
      purchases: { settled: TRADES, verifiedOnChain: TRADES },
    })
    expect(reads.toSorted()).toEqual(signatures.toSorted())
  })

  it('finds a balance that its ledger does not explain, and keeps what it found', async () => {
    await tamper('update balances set amount = amount + 1', 'update balances set amount = amount - 1')
    const { id, ok, violations } = await audit()
    expect(ok).toBe(false)
    expect(violations).toContainEqual({ invariant: 'I1', detail: expect.stringContaining('its ledger entries sum to') })
    await audit()
    expect(await readAudit(world.database, id)).toMatchObject({ ok, violations })
  })

  it('finds a payment that is not what the purchase agreed on', async () => {
    await tamperWithPrices(1_000_000)
    expect(await audit()).toMatchObject({ ok: false, violationCount: TRADES, purchases: { verifiedOnChain: 0 } })
  })

  it('does not claim to have checked a payment that the chain does not show, and asks for it again the next time', async () => {
    const [first = '', second, ...others] = signatures
    const deps = world.chainBut({
      transaction: async (signature) => (signature === second ? undefined : world.chain.transaction(signature)),
    })
    expect(await audit({ deps })).toMatchObject({ ok: true, uncheckedCount: 1, unchecked: [expect.stringContaining(`${second}`)] })
    const next = watching()
    expect(await audit({ deps: next.deps })).toMatchObject({ ok: true, uncheckedCount: 0, purchases: { verifiedOnChain: TRADES } })
    expect(next.reads).not.toContain(first)
    expect(new Set(next.reads)).toEqual(new Set([second, ...others]))
  })

  it('ends, and says what it did not check, if the chain answers nothing', async () => {
    const deps = world.chainBut({ genesisHash: () => Promise.reject(new Failure('CHAIN_DOWN')) })
    const done = await audit({ deps, patience: impatient })
    expect(done).toMatchObject({ status: 'done', ok: true, uncheckedCount: 1, unchecked: [expect.stringContaining(`${TRADES} payments`)] })
    expect(await audit()).toMatchObject({ uncheckedCount: 0, purchases: { verifiedOnChain: TRADES } })
  })
})

describe('the watermark of an audit', () => {
  it('spares the next audit the final payments that were verified, except for a full one', async () => {
    await audit()
    const next = watching()
    expect(await audit({ deps: next.deps })).toMatchObject({ progress: { total: 0 }, ok: true, purchases: { verifiedOnChain: TRADES } })
    expect(next.reads).toEqual([])
    const full = watching()
    expect(await audit({ full: true, deps: full.deps })).toMatchObject({ progress: { total: TRADES }, full: true })
    expect(full.reads).toHaveLength(TRADES)
  })

  it('does not pass a payment that is not final, or may not be the last to have become so by then', async () => {
    await sql('update purchases set finalized_at = null where signature = $1', [signatures[0]])
    await sql('update purchases set finalized_at = now() where signature = $1', [signatures[1]])
    expect(await audit()).toMatchObject({ progress: { checked: TRADES, total: TRADES } })
    const next = watching()
    await audit({ deps: next.deps })
    expect(new Set(next.reads)).toEqual(new Set(signatures.slice(0, 2)))
  })

  it('goes back to where a full audit found something wrong, until that is right', async () => {
    await audit()
    await tamperWithPrices(1, `where purchase_id = (select id from purchases where signature = '${signatures[5]}')`)
    expect(await audit()).toMatchObject({ ok: true })
    expect(await audit({ full: true })).toMatchObject({ ok: false, violationCount: 1 })
    expect(await audit()).toMatchObject({ ok: false, violationCount: 1, progress: { total: TRADES - 5 } })
  })
})

describe('an audit on several servers', () => {
  it('is one, however often it is requested, and becomes full if anyone asks for that', async () => {
    const [one, other] = await Promise.all([requestAudit(world.database, { full: false }), requestAudit(world.database, { full: false })])
    expect(other.id).toBe(one.id)
    expect(await requestAudit(world.database, { full: true })).toMatchObject({ id: one.id, isFull: true })
    expect(await requestAudit(world.database, { full: false })).toMatchObject({ id: one.id, isFull: true })
  })

  it('reads each payment once, whoever carries it out', async () => {
    const { deps, reads } = watching()
    await requestAudit(world.database, { full: false })
    await Promise.all(Array.from({ length: 5 }, () => continueAudit(deps, { ...untilDone, pageSize: 3 })))
    expect(reads.toSorted()).toEqual(signatures.toSorted())
  })

  it('is continued where a killed server left it, which cannot write to it any more', async () => {
    const { id } = await requestAudit(world.database, { full: false })
    const events = new EventEmitter()
    const [reached, answered] = [once(events, 'reached'), once(events, 'answered')]
    let count = 0
    const killed = watching(() => {
      count += 1
      if (count < 7) return undefined
      events.emit('reached')
      return answered
    })
    const late = continueAudit(killed.deps, { ...untilDone, pageSize: 5 })
    await reached
    expect(await continueAudit(world.deps, untilDone)).toBe(false)
    await sql(`update audits set lease_until = now() - interval '1 second'`)

    const other = watching()
    expect(await continueAudit(other.deps, { ...untilDone, pageSize: 5 })).toBe(true)
    const done = await readAudit(world.database, id)
    expect(done).toMatchObject({ status: 'done', progress: { checked: TRADES, total: TRADES }, purchases: { verifiedOnChain: TRADES } })
    expect(other.reads).toHaveLength(TRADES - 5)

    events.emit('answered')
    await late
    expect(await readAudit(world.database, id)).toEqual(done)
  })

  it('is given back at once by a server that stops', async () => {
    const { id } = await requestAudit(world.database, { full: false })
    const stopping = new AbortController()
    const { deps } = watching(() => {
      stopping.abort()
      throw new Failure('CHAIN_DOWN')
    })
    await continueAudit(deps, { signal: stopping.signal })
    expect(await readAudit(world.database, id)).toMatchObject({ status: 'running' })
    expect(await continueAudit(world.deps, untilDone)).toBe(true)
    expect(await readAudit(world.database, id)).toMatchObject({ status: 'done', ok: true })
  })

  it('reports what it has found so far to someone who does not wait', async () => {
    const waiting = new AbortController()
    const { deps } = watching(() => {
      waiting.abort()
      throw new Failure('CHAIN_DOWN')
    })
    const report = await runAudit(deps, { full: false, signal: waiting.signal })
    expect(report.unchecked).toEqual([expect.stringContaining(`${TRADES} payments: the audit is still running`)])
  })
})
