import { type Page } from '@playwright/test'

import { banner, expect, signIn, test } from './support/test.ts'

/** The sign-ins that the page begins from now on: each asks the wallet for a signature. */
function watchSignIns(page: Page): string[] {
  const begun: string[] = []
  page.on('request', (request) => request.url().endsWith('/api/auth/nonce') && begun.push(request.url()))
  return begun
}

test('a wallet signs in once, survives a reload, and logs out', async ({ openPlayer }) => {
  const { page, address } = await openPlayer()
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  const dialog = page.getByRole('dialog', { name: 'Connect a wallet on Solana to continue' })
  await expect(dialog.getByText('Detected')).toBeVisible()
  await dialog.getByRole('button', { name: /Phantom/ }).click()

  await expect(page.getByRole('tab')).toHaveText(['Market', 'Inventory', 'My Listings'])
  await expect(page.getByRole('button', { name: `${address.slice(0, 4)}..${address.slice(-4)}` })).toBeVisible()
  await expect(page.getByText('5.0000 SOL')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('walletName'))).toBe('"Phantom"')
  expect(await page.evaluate(() => localStorage.getItem('jwt_token'))).toBeTruthy()

  await page.reload()
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Connect', exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('tab')).toHaveText(['Market'])
  expect(await page.evaluate(() => localStorage.getItem('jwt_token'))).toBeNull()
})

test('logging out closes the event stream before it ends the session, which would refuse it', async ({ signedIn }) => {
  const { page } = await signedIn()
  await page.addInitScript(() => {
    const { fetch } = window
    window.fetch = (...args) => {
      const [url, init] = args
      const note = (step: string) =>
        (document.documentElement.dataset['order'] = `${document.documentElement.dataset['order'] ?? ''}${step} `)
      if (url === '/api/marketplace/events') {
        note('opened')
        init?.signal?.addEventListener('abort', () => note('closed'))
      }
      if (url === '/api/auth/logout') note('ended')
      return fetch(...args)
    }
  })
  await page.reload()
  const order = page.locator('html')
  await expect(order).toHaveAttribute('data-order', 'opened ')
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(order).toHaveAttribute('data-order', /^opened closed ended /)
})

test('the wallet menu copies the address and disconnects, which logs out', async ({ signedIn }) => {
  const { page, address } = await signedIn()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: `${address.slice(0, 4)}..` }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Copy address', 'Change wallet', 'Sign out everywhere', 'Disconnect'])
  // "Copied" is shown for less time than a busy machine may take to look.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByRole('menuitem', { name: 'Copy address' }).click()
  await expect(page.getByRole('menuitem', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
  await page.clock.resume()
  await expect(page.getByRole('menu')).toBeHidden()

  await page.getByRole('button', { name: `${address.slice(0, 4)}..` }).click()
  await page.getByRole('menuitem', { name: 'Disconnect' }).click()
  await expect(page.getByRole('button', { name: 'Select Wallet' })).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText(['Market'])
  expect(await page.evaluate(() => localStorage.getItem('jwt_token'))).toBeNull()
})

test('a wallet that registers late is found while the picker is open', async ({ openPlayer }) => {
  const { page } = await openPlayer({ lateBy: 2_000, sol: 0 })
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await expect(page.getByRole('dialog').getByText('Detected')).toBeVisible()
})

test('after a refused signature, only a click asks for it again', async ({ openPlayer }) => {
  const { page, phantom } = await openPlayer({ sol: 0 })
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page.evaluate(() => {
    // The connection succeeds, and everything after it is refused.
    window.addEventListener('click', () => setTimeout(() => Object.assign(window, { phantomRefusal: 4001 })), { once: true })
  })
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Phantom/ })
    .click()
  await expect(page.getByRole('alert')).toHaveText(
    /^Error: You declined the request in your wallet\. Check if your internet connection is stable/,
  )
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)

  await phantom.refuse(page, undefined)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
})

test('a refused connection is reported', async ({ openPlayer }) => {
  const { page, phantom } = await openPlayer({ sol: 0 })
  await phantom.refuse(page, -32002)
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Phantom/ })
    .click()
  await expect(page.getByRole('alert')).toContainText('Your wallet already shows a request')
  await expect(page.getByRole('button', { name: 'Connect', exact: true })).toBeVisible()
})

test('another account in the wallet ends the session and signs in again', async ({ signedIn }) => {
  const { page, phantom } = await signedIn()
  const before = await page.evaluate(() => localStorage.getItem('jwt_token'))
  const other = await phantom.switchAccount(page)
  await expect(page.getByRole('button', { name: `${other.slice(0, 4)}..${other.slice(-4)}` })).toBeVisible()
  await expect(page.getByText('0.0000 SOL')).toBeVisible()
  const after = await page.evaluate(() => localStorage.getItem('jwt_token'))
  expect(after).not.toBe(before)
})

test.describe('a server that cannot say at once who is signed in', () => {
  test.use({ allowedErrors: /Failed to load resource/ })

  test('is asked again', async ({ signedIn }) => {
    const { page } = await signedIn()
    let refused = 0
    await page.route('**/api/auth/me', async (route) => {
      refused += 1
      if (refused > 2) return route.continue()
      return route.fulfill({ status: 503, json: { error: 'The database cannot be reached.', code: 'DATABASE_DOWN' } })
    })
    await page.reload()
    await expect(banner(page)).toContainText('Failed to load')
    await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  })
})

test('a logout in another tab is noticed', async ({ signedIn }) => {
  const { page } = await signedIn()
  const signIns = watchSignIns(page)
  const second = await page.context().newPage()
  await second.goto('/')
  await expect(second.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  await second.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('tab')).toHaveText(['Market'])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('tab', { name: 'My Listings' })).toBeVisible()
  expect(signIns, 'the wallet is asked at the click alone').toHaveLength(1)
})

test('two tabs with different wallets do not end each other', async ({ signedIn }) => {
  const { page, phantom } = await signedIn()
  const second = await page.context().newPage()
  await second.goto('/')
  await second.getByRole('button', { name: 'Connect', exact: true }).click()
  const other = await phantom.switchAccount(second)
  await expect(second.getByRole('button', { name: `${other.slice(0, 4)}..${other.slice(-4)}` })).toBeVisible()
  await expect(second.getByText('0.0000 SOL')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await second.getByRole('tab', { name: 'Inventory' }).click()
  await expect(second.getByRole('button', { name: 'Sell' }).first()).toBeVisible()
})

test.describe('a session that the server ended', () => {
  test.use({ allowedErrors: /401/ })

  test('is noticed at the next call', async ({ signedIn }) => {
    const { page } = await signedIn()
    const signIns = watchSignIns(page)
    const jwt = await page.evaluate(() => localStorage.getItem('jwt_token'))
    await page.getByRole('tab', { name: 'My Listings' }).focus()
    await page.request.post('/api/auth/logout', { headers: { authorization: `Bearer ${jwt}` } })
    // By key: the app may notice first, since its stream ends too, and remove the tab before a click finds it.
    await page.keyboard.press('Enter')
    await expect(page.getByRole('tab')).toHaveText(['Market'])
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('tab', { name: 'My Listings' })).toBeVisible()
    expect(signIns, 'the wallet is asked at the click alone').toHaveLength(1)
  })
})

test('signing in works again after a logout', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  await page.getByRole('button', { name: 'Logout' }).click()
  await signIn(page)
})

test.describe('signing out everywhere', () => {
  test.use({ allowedErrors: /401|503/ })

  test('ends the sessions of other browsers as well, and says so, also that it failed', async ({ signedIn, openPlayer }) => {
    const { page, jwt } = await signedIn({ sol: 0 })
    const other = await openPlayer({ sol: 0 })
    await other.page.evaluate((token) => localStorage.setItem('jwt_token', token), jwt)
    await other.page.reload()
    await expect(other.page.getByRole('tab', { name: 'My Listings' })).toBeVisible()

    const signOut = async () => {
      await page.getByRole('button', { name: /\.\./ }).click()
      await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
    }
    await page.route('**/api/auth/sessions', (route) =>
      route.fulfill({ status: 503, json: { error: 'The market is being upgraded right now.', code: 'UPGRADING' } }),
    )
    await signOut()
    await expect(page.getByText('You may still be signed in elsewhere. The market is being upgraded right now.')).toBeVisible()
    await expect(page.getByRole('tab', { name: 'My Listings' })).toBeVisible()

    await page.unroute('**/api/auth/sessions')
    await signOut()
    await expect(page.getByText('You are signed out everywhere.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Select Wallet' })).toBeVisible()
    await expect(page.getByRole('tab')).toHaveText(['Market'])
    // Its event stream has ended, so it asks at once.
    await expect(other.page.getByRole('tab')).toHaveText(['Market'])
  })
})
