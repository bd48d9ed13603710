import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, test } from 'vitest'

import { type SignatureStatus } from '../../src/chain/chain.ts'
import { RequestBatch } from '../../src/chain/client/request-batch.ts'

const signature = (n: number) => `signature ${n}` as Signature
const status: SignatureStatus = { slot: 1n, commitment: 'confirmed', failed: false }

/** A chain that knows the even signatures, and answers each call when the test says so. */
function slowChain() {
  const calls: { signatures: readonly Signature[]; answer(): void; fail(): void }[] = []
  const batch = new RequestBatch<Signature, SignatureStatus>(
    (signatures) => {
      return new Promise((resolve, reject) => {
        const known = signatures.filter((text) => Number(text.split(' ')[1]) % 2 === 0)
        calls.push({
          signatures,
          answer: () => resolve(new Map(known.map((one) => [one, status]))),
          fail: () => reject(new Error('no answer')),
        })
      })
    },
    () => 0,
  )
  const call = (index: number) =>
    expect
      .poll(() => calls[index])
      .toBeDefined()
      .then(() => calls[index])
  return { batch, calls, call }
}

describe('statuses', () => {
  test('requested at the same time are read in one call, and each caller gets its own', async () => {
    const { batch, calls, call } = slowChain()
    const answers = Promise.all(Array.from({ length: 50 }, (_, n) => batch.ask([signature(n)])))
    ;(await call(0))?.answer()
    expect((await answers).map((answer) => [...answer.keys()])).toEqual(Array.from({ length: 50 }, (_, n) => (n % 2 ? [] : [signature(n)])))
    expect(calls).toHaveLength(1)
  })

  test('requested during a call wait for the next one, so that no answer is older than its request', async () => {
    const { batch, calls, call } = slowChain()
    const first = batch.ask([signature(2)])
    const running = await call(0)
    const later = Promise.all([batch.ask([signature(2)]), batch.ask([signature(4)])])
    running?.answer()
    await first
    ;(await call(1))?.answer()
    expect((await later).map((answer) => [...answer.keys()])).toEqual([[signature(2)], [signature(4)]])
    expect(calls.map((it) => it.signatures)).toEqual([[signature(2)], [signature(2), signature(4)]])
  })

  test('that could not be read fail for the callers of that time, and not for the next', async () => {
    const { batch, call } = slowChain()
    const lost = batch.ask([signature(2)])
    ;(await call(0))?.fail()
    await expect(lost).rejects.toThrow('no answer')
    const found = batch.ask([signature(2)])
    ;(await call(1))?.answer()
    expect((await found).size).toBe(1)
  })

  test('are read with a pause between the starts of two calls', async () => {
    const begun: number[] = []
    const batch = new RequestBatch<Signature, SignatureStatus>(
      async () => {
        begun.push(performance.now())
        return new Map()
      },
      () => 100,
    )
    for (let n = 0; n < 3; n++) await batch.ask([signature(n)])
    expect(
      begun
        .slice(1)
        .map((at, index) => at - (begun[index] ?? 0))
        .every((gap) => gap >= 95),
    ).toBe(true)
  })
})
