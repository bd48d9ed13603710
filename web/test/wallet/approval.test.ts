import { describe, expect, test } from 'vitest'

import { createAskOwner, type OpenRequest } from '../../src/wallet/demo/approval.ts'

const request = { title: 'Sign this message', lines: [], message: 'hello' }

function owner() {
  const shown: (OpenRequest | undefined)[] = []
  return { shown, ask: createAskOwner((open) => shown.push(open)) }
}

describe('an approval of the Demo Wallet', () => {
  test('is shown until the owner approves', async () => {
    const { shown, ask } = owner()
    const approved = ask(request)
    expect(shown).toEqual([expect.objectContaining(request)])
    shown[0]?.answer(true)
    await expect(approved).resolves.toBeUndefined()
    expect(shown.at(-1)).toBeUndefined()
  })

  test('that the owner refuses fails like that of any wallet', async () => {
    const { shown, ask } = owner()
    const refused = ask(request)
    shown[0]?.answer(false)
    await expect(refused).rejects.toMatchObject({ code: 4001 })
  })

  test('is asked for one at a time', async () => {
    const { shown, ask } = owner()
    const first = ask(request)
    await expect(ask(request)).rejects.toMatchObject({ code: -32002 })
    shown[0]?.answer(true)
    await first
    const second = ask(request)
    shown.at(-1)?.answer(true)
    await expect(second).resolves.toBeUndefined()
  })
})
