import { type Page } from '@playwright/test'

import { list, remove } from './support/api-listing.ts'
import { expectAccessible } from './support/accessible.ts'
import { live } from './support/first-view.mjs'
import { holdScripts } from './support/hold-scripts.ts'
import { banner, expect, findListing, test } from './support/test.ts'

const offers = (page: Page) => page.getByRole('article')

test.describe('without a script', () => {
  test('the market can be read, searched and sorted, and says what needs one', async ({ openContext, trader }) => {
    const seller = await trader()
    await list(seller, 'GRAPE_SODA', 2, 0.7)
    await list(seller, 'APPLE_JUICE', 2, 0.9)
    const page = await (await openContext({ javaScriptEnabled: false })).newPage()
    // A page may be a quarter of a second old, and learns of nothing afterwards.
    await expect(async () => {
      await page.goto('/')
      await expect(offers(page).filter({ hasText: '0.7 SOL' }).first()).toBeVisible({ timeout: 1_000 })
      // They are left out if they cannot be read in time.
      const prices = page.getByRole('region', { name: 'Prices' })
      await expect(prices.getByRole('link', { name: /Grape Soda.* SOL/ })).toBeVisible({ timeout: 1_000 })
    }).toPass()
    await expect(page.locator('.without-script')).toContainText('Buying, selling and signing in need it')

    await page.getByPlaceholder('Search...').fill(seller.address.slice(0, 12))
    await page.getByLabel('Order').selectOption('-price')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect(page).toHaveURL(/\?search=\w+&sort=-price/)
    await expect(offers(page)).toHaveCount(2)
    await expect(offers(page).first()).toContainText('0.9 SOL')
    await expect(page.getByLabel('Order')).toHaveValue('-price')

    await offers(page).first().getByRole('link').click()
    await expect(page.getByRole('heading', { name: '2 Apple Juice' })).toBeVisible()
    await expect(page.getByText(seller.address)).toBeVisible()
    await page.getByRole('link', { name: 'Close' }).click()
    await page.goto('/drink/GRAPE_SODA')
    await expect(page.getByRole('table', { name: /Grape Soda for sale/ })).toBeVisible()
    await expect(page.getByText('lowest price')).toBeVisible()
    await expect(page.getByText('The chart needs JavaScript.')).toBeVisible()
    await expect(page.locator('.spin:visible')).toHaveCount(0)
  })

  test.describe('an address of nothing', () => {
    test.use({ allowedErrors: /404/ })

    test('says so, and leads to the market', async ({ openContext }) => {
      const page = await (await openContext({ javaScriptEnabled: false })).newPage()
      for (const path of ['/nothing', '/drink/LEMONADE', '/listing/nothing']) {
        await page.goto(path)
        await expect(page.getByRole('heading', { name: 'There is nothing at this address.' })).toBeVisible()
      }
      await page.getByRole('link', { name: 'Go to the market' }).click()
      await expect(offers(page).first()).toBeVisible()
    })
  })

  test('the pages of a long list follow one another', async ({ openContext, trader }) => {
    test.slow()
    const seller = await trader()
    const drinks = ['APPLE_JUICE', 'ORANGE_JUICE', 'GRAPE_SODA']
    for (let price = 1; price <= 51; price++) await list(seller, drinks[price % 3] ?? '', 1, price)
    const page = await (await openContext({ javaScriptEnabled: false })).newPage()
    await page.goto(`/?search=${seller.address}&sort=price`)
    await expect(offers(page)).toHaveCount(50)
    await page.getByRole('link', { name: 'More listings' }).click()
    await expect(offers(page)).toHaveCount(1)
    await expect(offers(page)).toContainText('51 SOL')
    await expect(page.getByRole('link', { name: 'More listings' })).toHaveCount(0)
  })
})

test.describe('before the script is there', () => {
  test('the market is there, and what somebody does with it is done afterwards', async ({ page, trader }) => {
    const seller = await trader()
    await list(seller, 'GRAPE_SODA', 2, 0.7)
    const { release } = await holdScripts(page)
    await page.goto('/', { waitUntil: 'commit' })
    await expect(offers(page).first()).toBeVisible()
    await expect(page.getByText('Server Online')).toBeVisible()
    await expectAccessible(page)
    await page.getByPlaceholder('Search...').fill(seller.address.slice(0, 12))
    await page.getByLabel('Order').selectOption('price')
    await page.getByText('Grape Soda', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Select Wallet' }).click()
    release()
    await expect(page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(offers(page)).toHaveCount(1)
    await expect(page.getByLabel('Order')).toHaveValue('price')
    await expect(page.getByPlaceholder('Search...')).toHaveValue(seller.address.slice(0, 12))
    await expect(page.getByRole('radio', { name: 'Grape Soda' })).toBeChecked()
  })

  test('a listing can be read, and wanted', async ({ page, trader }) => {
    const id = await list(await trader(), 'GRAPE_SODA', 3, 0.6)
    const { release } = await holdScripts(page)
    await page.goto(`/listing/${id}`, { waitUntil: 'commit' })
    await expect(page.getByRole('heading', { name: '3 Grape Soda' })).toBeVisible()
    await expect(page.getByText('0.2 SOL each')).toBeVisible()
    await page.getByRole('button', { name: 'Choose a wallet to buy' }).click()
    release()
    await expect(page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })).toBeVisible()
  })

  test('a drink’s page says what some cost, and they can be wanted', async ({ page, trader }) => {
    await list(await trader(), 'GRAPE_SODA', 12, 0.6)
    const { release } = await holdScripts(page)
    await page.goto('/drink/GRAPE_SODA', { waitUntil: 'commit' })
    await page.getByRole('button', { name: /^Buy 10 for [\d.]+ SOL$/ }).click()
    release()
    await expect(page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })).toBeVisible()
  })

  test('a drink is bought by a player who was signed in, also if that is found out later', async ({ signedIn, trader }) => {
    await list(await trader({ sol: 1 }), 'GRAPE_SODA', 12, 0.006)
    const { page } = await signedIn({ sol: 1, approvesAfter: 60_000 })
    const scripts = await holdScripts(page)
    let answer = () => {}
    const wanted = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/api/auth/me', async (route) => {
      await wanted
      await route.continue()
    })
    await page.goto('/drink/GRAPE_SODA', { waitUntil: 'commit' })
    await page.getByRole('button', { name: /^Buy 10 for [\d.]+ SOL$/ }).click()
    const asked = page.waitForRequest('**/api/auth/me')
    scripts.release()
    await asked
    await expect(page.getByRole('banner').getByText(/^\w{4}\.\.\w{4}$/)).toBeVisible()
    answer()
    await expect(page.getByRole('heading', { name: 'Processing' })).toBeVisible()
  })

  for (const [player, status] of [
    ['who is signed in', 200],
    ['whose session has ended', 401],
  ] as const) {
    test(`an amount typed by a player ${player} is kept, also if that is found out before its field is alive`, async ({
      signedIn,
      trader,
    }) => {
      await list(await trader({ sol: 0 }), 'GRAPE_SODA', 12, 0.006)
      const { page, address } = await signedIn({ sol: 0 })
      const { release } = await holdScripts(page)
      const user = { walletAddress: address, createdAt: new Date(0).toISOString() }
      const body = status === 200 ? { user } : { error: 'Sign in again', code: 'SESSION_ENDED' }
      await page.addInitScript(
        ([reply, init]) => {
          const ask = window.fetch
          window.fetch = (what, how) => (what === '/api/auth/me' ? Promise.resolve(Response.json(reply, init)) : ask(what, how))
        },
        [body, { status }] as const,
      )
      await page.goto('/drink/GRAPE_SODA', { waitUntil: 'commit' })
      await page.getByRole('spinbutton', { name: 'How many' }).fill('2')
      release()
      await expect(page.getByRole('button', { name: /^Buy 2 for/ })).toBeVisible()
      if (status === 200) await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
      else await expect(banner(page)).toContainText('Sign in again')
    })
  }

  test('somebody who was signed in is not asked to connect', async ({ signedIn }) => {
    const { page } = await signedIn({ sol: 0 })
    const { release } = await holdScripts(page)
    await page.reload({ waitUntil: 'commit' })
    await expect(offers(page).first()).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Connect Phantom Wallet' })).toBeHidden()
    release()
    await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  })
})

test.describe('the page of a listing', () => {
  const firstView = (page: Page) => page.locator('section[role=dialog]')
  const dialogScript = (page: Page) =>
    page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/dialogs-')).length)

  test('gets its dialog once somebody does something, and not during a press', async ({ page, trader }) => {
    const id = await list(await trader(), 'GRAPE_SODA', 3, 0.6)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const { release } = await holdScripts(page, 'dialogs-*.js')
    await page.goto(`/listing/${id}`)
    await live(page)
    expect(asked.filter((url) => url.includes('/dialogs-'))).toEqual([])
    await page.getByRole('button', { name: 'Choose a wallet to buy' }).hover()
    await page.mouse.down()
    release()
    await expect.poll(() => dialogScript(page)).toBe(1)
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    await expect(firstView(page)).toBeVisible()
    await page.mouse.up()
    await expect(page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(firstView(page)).toHaveCount(0)
    await expect(page.getByRole('dialog', { name: '3 Grape Soda' })).toBeVisible()
    await expect(page).toHaveTitle('3 Grape Soda for 0.6 SOL · Juicebar Marketplace')
  })

  test('is pressed also if its dialog takes its place during the press', async ({ page, trader }) => {
    const id = await list(await trader(), 'GRAPE_SODA', 3, 0.6)
    const { release } = await holdScripts(page, 'dialogs-*.js')
    await page.goto(`/listing/${id}`)
    await live(page)
    await page.evaluate(() => {
      // As if the press had begun while React was already building the dialog.
      document.addEventListener('pointerdown', (event) => event.stopPropagation())
      const gone = () => document.querySelector('[role=dialog]') ?? document.body.setAttribute('data-gone', '')
      new MutationObserver(gone).observe(document.body, { childList: true, subtree: true })
    })
    await page.getByRole('button', { name: 'Choose a wallet to buy' }).hover()
    await page.mouse.down()
    release()
    await expect(firstView(page)).toHaveCount(0)
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(page.locator('[data-gone]')).toHaveCount(0)
    await page.mouse.up()
    await expect(page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })).toBeVisible()
  })

  test('stays as it is while a pointer moves during the time that it comes alive', async ({ page, trader }) => {
    const id = await list(await trader({ sol: 0 }), 'GRAPE_SODA', 3, 0.6)
    await page.addInitScript(() => {
      const move = () => {
        dispatchEvent(new PointerEvent('pointermove'))
        setTimeout(move)
      }
      move()
    })
    await page.route('**/assets/dialogs-*', () => undefined)
    await page.goto(`/listing/${id}`, { waitUntil: 'commit' })
    await firstView(page).evaluate((shown) => shown.setAttribute('data-the-same', ''))
    await live(page)
    await expect(firstView(page)).toHaveAttribute('data-the-same')
  })

  test('hears of what happens to the listing, also before its dialog is there', async ({ page, trader }) => {
    const seller = await trader()
    const id = await list(seller, 'GRAPE_SODA', 3, 0.6)
    await page.goto(`/listing/${id}`)
    await live(page)
    await remove(seller, id)
    await expect(firstView(page).getByText('Its seller has taken this listing off the market.')).toBeVisible()
  })

  test('is left in every way that a dialog is, before its dialog is there', async ({ page, trader }) => {
    const id = await list(await trader(), 'GRAPE_SODA', 3, 0.6)
    await page.route('**/assets/dialogs-*', () => undefined)
    const ways = [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('link', { name: 'Close' }).click(),
      () => page.mouse.click(20, 200),
    ]
    for (const leave of ways) {
      await page.goto(`/listing/${id}`)
      await live(page)
      await leave()
      await expect(firstView(page)).toHaveCount(0)
      await expect(page).toHaveURL('/')
      await expect(page).toHaveTitle('Juicebar Marketplace')
    }
  })

  test('is bought by a player who is signed in with a press before the script is there', async ({ signedIn, trader }) => {
    const id = await list(await trader(), 'GRAPE_SODA', 3, 0.006)
    const { page } = await signedIn({ sol: 1 })
    const { release } = await holdScripts(page)
    await page.goto(`/listing/${id}`, { waitUntil: 'commit' })
    await firstView(page).getByRole('button', { name: 'Buy', exact: true }).click()
    release()
    await expect(page.getByRole('dialog', { name: 'Confirm your purchase' })).toBeVisible()
  })

  test.describe('whose dialog cannot be downloaded', () => {
    test.use({ allowedErrors: /Failed to (?:load resource|fetch dynamically imported module)/ })
    test('still does what it can, and another listing says that it cannot be shown', async ({ page, trader }) => {
      const seller = await trader()
      const id = await list(seller, 'GRAPE_SODA', 3, 0.6)
      const other = await list(seller, 'APPLE_JUICE', 4, 0.6)
      await page.route('**/assets/dialogs-*', (route) => route.abort())
      // It is read again, whatever the market's events say.
      await page.route('**/api/marketplace/events', (route) => route.abort())
      await page.goto(`/listing/${id}`)
      await expect(firstView(page)).toBeFocused()
      await page.mouse.move(5, 5)
      await remove(seller, id)
      await expect(firstView(page).getByText('Its seller has taken this listing off the market.')).toBeVisible()
      await page.keyboard.press('Escape')
      await (await findListing(page, seller.address)).locator(`a[href="/listing/${other}"]`).click()
      await expect(banner(page)).toContainText('This part of the page could not be shown. Reload the page.')
      await banner(page).getByRole('button', { name: 'Dismiss' }).click()
      await expect(banner(page)).toBeHidden()
      await page.goBack()
      await page.goForward()
      await expect(banner(page)).toContainText('This part of the page could not be shown. Reload the page.')
      await page.goBack()
      await page.goBack()
      await expect(firstView(page)).toBeFocused()
    })
  })

  test('says why a listing cannot be bought', async ({ page, trader }) => {
    const seller = await trader()
    const id = await list(seller, 'GRAPE_SODA', 3, 0.6)
    await remove(seller, id)
    const { release } = await holdScripts(page)
    await page.goto(`/listing/${id}`, { waitUntil: 'commit' })
    await expect(firstView(page).getByText('Its seller has taken this listing off the market.')).toBeVisible()
    await expectAccessible(page)
    await firstView(page).getByRole('button', { name: 'See what else is for sale' }).click()
    release()
    await expect(page).toHaveURL('/')
  })
})

test('the market’s events change nothing before the prices above the cards are alive, too', async ({ page }) => {
  const { release } = await holdScripts(page, 'figures-*.js')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.replace(/-[\w-]{8}\.js$/, '')))
  const figures = page.waitForRequest('**/assets/figures-*')
  await page.goto('/')
  await figures
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve))))
  expect(asked).not.toContain('/assets/follow-events')
  release()
  await live(page)
  expect(asked).toContain('/assets/follow-events')
})

/** React's own record of a part of the page. */
interface Fiber {
  return: Fiber | null
  stateNode: { current: Fiber }
}

/** Presses the first listing as soon as React has taken over its card, and before any effect of that. */
function pressListingOnceAlive(): void {
  const { port1, port2 } = new MessageChannel()
  port1.addEventListener('message', () => {
    const link = document.querySelector<HTMLElement>('article a')
    const [, record] = Object.entries(link ?? {}).find(([key]) => key.startsWith('__reactFiber')) ?? []
    let root = record as Fiber | undefined
    while (root?.return) root = root.return
    if (root && root.stateNode.current === root) link?.click()
    else port2.postMessage('look again')
  })
  port1.start()
  port2.postMessage('look')
}

test('a listing that is pressed at the moment that the market comes alive has its address', async ({ page, trader }) => {
  await list(await trader({ sol: 0 }), 'GRAPE_SODA', 2, 0.7)
  await page.addInitScript(pressListingOnceAlive)
  await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.goto('/')
  await expect(page.getByRole('dialog')).toBeVisible()
  await expect(page).toHaveURL(/\/listing\//)
})

test('back leads to the page before, also before the script is there', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('article').first().getByRole('link').click()
  await expect(page.getByRole('dialog')).toBeVisible()
  const { release } = await holdScripts(page)
  await page.reload({ waitUntil: 'commit' })
  await expect(page.getByRole('heading', { level: 2 }).filter({ hasText: /^\d/ })).toBeVisible()
  await page.goBack({ waitUntil: 'commit' })
  await expect(page).toHaveURL('/')
  await expect(offers(page).first()).toBeVisible()
  await expect(page.getByRole('heading', { level: 2 }).filter({ hasText: /^\d/ })).toHaveCount(0)
  release()
  await expect(page).toHaveTitle('Juicebar Marketplace')
})

for (const [what, scrolled, seen] of [
  ['leads to where one was, also before the script is there', undefined, 300],
  ['leaves the page where somebody has scrolled it before the script is there', 120, 120],
] as const)
  test(`back ${what}`, async ({ page }) => {
    await page.goto('/')
    await live(page)
    await page.evaluate(() => scrollTo(0, 300))
    await page
      .getByRole('region', { name: 'Prices' })
      .getByRole('link')
      .first()
      .evaluate((link) => (link as HTMLElement).click())
    await expect(page).toHaveURL(/\/drink\//)
    const { release } = await holdScripts(page)
    await page.reload({ waitUntil: 'commit' })
    await expect(page.getByRole('tabpanel').getByRole('heading', { level: 2 }).first()).toBeVisible()
    await page.goBack({ waitUntil: 'commit' })
    await expect(offers(page).first()).toBeVisible()
    if (scrolled !== undefined) await page.evaluate((to) => scrollTo(0, to), scrolled)
    release()
    await live(page)
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(seen)
    await page.evaluate(() => scrollTo(0, 200))
    await page.reload()
    await live(page)
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(200)
  })

test('the filter is in the market’s address: it can be reloaded, shared, and returned to', async ({ page, trader }) => {
  const seller = await trader()
  await list(seller, 'GRAPE_SODA', 2, 0.7)
  await page.goto('/')
  await page.getByLabel('Order').selectOption('price')
  await page.getByPlaceholder('Search...').fill(seller.address)
  await expect(page).toHaveURL(`/?search=${seller.address}&sort=price`)
  await expect(offers(page)).toHaveCount(1)
  await page.reload()
  await expect(page.getByLabel('Order')).toHaveValue('price')
  await expect(offers(page)).toHaveCount(1)
  await offers(page).getByRole('link').click()
  await expect(page.getByRole('dialog', { name: '2 Grape Soda' })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(`/?search=${seller.address}&sort=price`)
  await expect(page.getByPlaceholder('Search...')).toHaveValue(seller.address)
})
