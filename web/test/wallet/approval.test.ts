import { afterEach, describe, expect, test } from 'vitest'

import { askOwner, useApproval } from '../../src/wallet/demo/approval.ts'

const request = { title: 'Sign this message', lines: [], message: 'hello' }
const shown = () => useApproval.getState().request

afterEach(() => useApproval.setState({ request: undefined }))

describe('an approval of the Demo Wallet', () => {
  test('is shown until the owner approves', async () => {
    const approved = askOwner(request)
    expect(shown()).toMatchObject(request)
    shown()?.answer(true)
    await expect(approved).resolves.toBeUndefined()
    expect(shown()).toBeUndefined()
  })

  test('that the owner refuses fails like that of any wallet', async () => {
    const refused = askOwner(request)
    shown()?.answer(false)
    await expect(refused).rejects.toMatchObject({ code: 4001 })
  })

  test('is asked for one at a time', async () => {
    const first = askOwner(request)
    await expect(askOwner(request)).rejects.toMatchObject({ code: -32002 })
    shown()?.answer(true)
    await first
    const second = askOwner(request)
    shown()?.answer(true)
    await expect(second).resolves.toBeUndefined()
  })
})
