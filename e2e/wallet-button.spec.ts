import { expect, signIn, test } from './support/test.ts'

test('the wallet button names each of its states', async ({ openPlayer }) => {
  const { page, address } = await openPlayer({ connectsAfter: 5_000, sol: 0 })
  await page.getByRole('button', { name: 'Select Wallet', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Phantom/ })
    .click()
  await expect(page.getByRole('button', { name: 'Connecting ...', exact: true })).toBeDisabled()
  const connected = page.getByRole('button', { name: `${address.slice(0, 4)}..${address.slice(-4)}`, exact: true })
  await expect(connected).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Connect', exact: true })).toBeVisible()
})

test('the picker offers Phantom alone, marked as detected, and more options to unfold', async ({ openPlayer }) => {
  const { page } = await openPlayer({ sol: 0 })
  await page.evaluate(() => {
    const register = (api: { register(wallet: object): void }) =>
      api.register({ version: '1.0.0', name: 'Another Wallet', icon: '', chains: ['solana:mainnet'], accounts: [], features: {} })
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
  })
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  const dialog = page.getByRole('dialog', { name: 'Connect a wallet on Solana to continue' })
  await expect(dialog.getByRole('listitem')).toHaveText(['PhantomDetected', 'Demo WalletTest SOL'])
  const more = dialog.getByRole('button', { name: 'More options' })
  await expect(more).toHaveAttribute('aria-expanded', 'false')
  await more.click()
  await expect(dialog.getByRole('link', { name: /Phantom/ })).toBeVisible()
  await more.click()
  await expect(dialog.getByRole('link', { name: /Phantom/ })).toBeHidden()
})

test('a dialog fades within 150 ms', async ({ openContext }) => {
  const page = await (await openContext({ reducedMotion: 'no-preference' })).newPage()
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  const durations = await page.getByRole('dialog').evaluate((popup) => getComputedStyle(popup).transitionDuration.split(', '))
  expect(new Set(durations)).toEqual(new Set(['0.15s']))
})

test('Copied is shown for 400 ms', async ({ signedIn }) => {
  const { page, address } = await signedIn({ sol: 0 })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: `${address.slice(0, 4)}..` }).click()
  await expect(page.getByRole('menuitem', { name: 'Copy address' })).toBeVisible()
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByRole('menuitem', { name: 'Copy address' }).click()
  const copied = page.getByRole('menuitem', { name: 'Copied' })
  await expect(copied).toBeVisible()
  await page.clock.runFor(399)
  await expect(copied).toBeVisible()
  await page.clock.runFor(1)
  await expect(copied).toHaveCount(0)
})

test('Change wallet opens the picker', async ({ signedIn }) => {
  const { page, address } = await signedIn({ sol: 0 })
  await page.getByRole('button', { name: `${address.slice(0, 4)}..` }).click()
  await page.getByRole('menuitem', { name: 'Change wallet' }).click()
  await expect(page.getByRole('dialog', { name: 'Connect a wallet on Solana to continue' })).toBeVisible()
})

test('a login loads balances, SOL, own and all listings, and sends the token with each', async ({ openPlayer }) => {
  const { page, address } = await openPlayer({ sol: 0 })
  await expect(page.getByRole('article').first()).toBeVisible()
  const asked = new Map<string, string | undefined>()
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    const method = pathname === '/rpc' ? `:${request.postDataJSON().method}` : ''
    asked.set(pathname + search + method, request.headers()['authorization'])
  })
  await signIn(page)
  const jwt = await page.evaluate(() => localStorage.getItem('jwt_token'))
  for (const call of [
    `/api/tokens/balance/${address}`,
    '/api/marketplace/my-listings?status=active',
    '/api/marketplace/listings?sort=newest',
    '/rpc:getBalance',
  ]) {
    await expect.poll(() => asked.get(call), call).toBe(`Bearer ${jwt}`)
  }
  expect(asked.get('/api/auth/verify')).toBeUndefined()
})

test('the wallet menu works with the keyboard alone', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  const button = page.getByRole('button', { name: /\.\./ })
  const item = (name: string) => page.getByRole('menuitem', { name })
  await button.focus()
  await page.keyboard.press('ArrowDown')
  await expect(item('Copy address')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(item('Disconnect')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(item('Copy address')).toBeFocused()
  await page.keyboard.press('End')
  await expect(item('Disconnect')).toBeFocused()
  await page.keyboard.press('Home')
  await expect(item('Copy address')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toBeHidden()
  await expect(button).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(item('Copy address')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('menu')).toBeHidden()
})
