import { randomUUID } from 'node:crypto'

import { list } from './support/api-listing.ts'
import { type Game, startGame } from './support/game.ts'
import { type OwnChain, startOwnChain } from './support/own-chain.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { type SlowEndpoint, startSlowEndpoint } from './support/slow-endpoint.ts'
import { expect, lamportsOf, LAMPORTS_PER_SOL, test } from './support/test.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210') + 30
const SLOT_MILLIS = 200
const origin = `http://localhost:${port}`
const gameOrigin = `http://127.0.0.1:${port + 2}`

test.use({ baseURL: origin, otherOrigins: [gameOrigin], allowedErrors: /Failed to load resource/ })

let chain: OwnChain
let endpoint: SlowEndpoint
let server: OwnServer
let game: Game

test.beforeAll(async () => {
  ;[chain, game] = await Promise.all([startOwnChain(port + 1, SLOT_MILLIS), startGame(port + 2)])
  endpoint = await startSlowEndpoint(chain.rpcUrl)
  const settings = { SOLANA_RPC_URL: endpoint.rpcUrl, SOLANA_NETWORK: 'localnet', DEMO: 'on', CHECKOUT_ORIGINS: gameOrigin }
  server = await startOwnServer(port, settings)
})
test.afterAll(async () => {
  await server.stop()
  await Promise.all([endpoint.stop(), chain.stop(), game.stop()])
})

test('after a reload, a payment on its way is followed until it is delivered, and cannot be paid again', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'GRAPE_SODA', 3, 0.003)
  const { page, address } = await signedIn({ sol: 0 })
  await Promise.all([address, seller.address].map((wallet) => chain.fund(wallet, LAMPORTS_PER_SOL)))
  await expect.poll(() => lamportsOf(origin, address)).toBe(LAMPORTS_PER_SOL)
  const body = { tokenType: 'GRAPE_SODA', amount: 3, returnUrl: `${gameOrigin}/`, idempotencyKey: randomUUID() }
  const { checkout } = await server.market.createCheckout({ body })
  await page.goto(checkout.url)
  await page.getByRole('button', { name: 'Pay 0.003 SOL' }).click()
  const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await expect(step('Sent, done')).toBeVisible()
  await page.reload()
  await expect(step('Sent, done')).toBeVisible()
  await expect(step('Confirmed')).toHaveAttribute('aria-current', 'step')
  expect(endpoint.kept()).toBe(1)
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
  endpoint.handOn()
  await page.waitForURL(`${gameOrigin}/?checkout=${checkout.id}&status=completed`)
  expect(await lamportsOf(origin, seller.address)).toBe(LAMPORTS_PER_SOL + 3_000_000)
})
