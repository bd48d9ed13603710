import { list } from './support/api-listing.ts'
import { type OwnChain, startOwnChain } from './support/own-chain.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { expect, findListing, lamportsOf, LAMPORTS_PER_SOL, test } from './support/test.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210') + 12
/** As on Solana's clusters in 2026: a blockhash lives for 32 seconds. */
const SLOT_MILLIS = 214
const origin = `http://localhost:${port}`

test.use({ baseURL: origin, allowedErrors: /Failed to load resource/ })
test.describe.configure({ mode: 'serial', timeout: 240_000 })

let chain: OwnChain
let server: OwnServer

test.beforeAll(async () => {
  chain = await startOwnChain(port + 1, SLOT_MILLIS)
  server = await startOwnServer(port, { SOLANA_RPC_URL: chain.rpcUrl, SOLANA_NETWORK: 'localnet', DEMO: 'on' })
})
test.afterAll(async () => {
  await server.stop()
  await chain.stop()
})

test('what is approved after 5, 25, 40 and 55 seconds is delivered', { tag: '@full' }, async ({ signedIn, trader }) => {
  const deliver = async (seconds: number) => {
    const seller = await trader({ sol: 0 })
    await list(seller, 'GRAPE_SODA', 1, 0.2)
    const { page, address } = await signedIn({ sol: 0, approvesAfter: seconds * 1_000 })
    await chain.fund(address, LAMPORTS_PER_SOL)
    // Until the market has seen it, the page says that there is too little SOL.
    await expect.poll(() => lamportsOf(origin, address)).toBe(LAMPORTS_PER_SOL)
    const payments: number[] = []
    page.on('response', (response) => response.url().endsWith('/api/marketplace/payments') && payments.push(response.status()))
    await (await findListing(page, seller.address)).getByRole('button', { name: 'Buy' }).click()
    await page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible({ timeout: 90_000 })
    return payments
  }
  const answers = await Promise.all([5, 25, 40, 55].map(deliver))
  const [at5, at25, ...later] = answers
  expect(at5).toEqual([201])
  // On a busy machine its blockhash may be too old already.
  expect(at25?.at(-1)).toBe(201)
  expect(later).toEqual([
    [409, 201],
    [409, 201],
  ])
})
