import { type Page } from '@playwright/test'

import { expectAccessible } from './support/accessible.ts'
import { expectShifts, overflow, watchShifts } from './support/layout.ts'
import { installPhantom } from './support/phantom.ts'
import { withoutFirstView } from './support/first-view.mjs'
import { expect, fullOnly, signIn, test } from './support/test.ts'

for (const colorScheme of ['dark', 'light'] as const) {
  test(`every screen is accessible, ${colorScheme}`, async ({ openContext, baseURL }) => {
    test.slow()
    const context = await openContext({ colorScheme })
    await installPhantom(context, baseURL ?? '')
    const page = await context.newPage()
    await page.goto('/')
    await expect(page.getByRole('article').first()).toBeVisible()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Select Wallet' }).click()
    await expect(page.getByRole('dialog').getByText('Detected')).toBeVisible()
    await expectAccessible(page)
    await expect(page.locator('noscript[aria-hidden]')).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)

    await signIn(page)
    await page.getByRole('button', { name: /\.\./ }).click()
    await expect(page.getByRole('menuitem', { name: 'Copy address' })).toBeFocused()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: /\.\./ })).toBeFocused()
    await page.getByRole('tab', { name: 'Inventory' }).click()
    await expect(page.getByRole('button', { name: 'Sell' }).first()).toBeVisible()
    await expect(page.getByText('No purchases yet.')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sell' }).first().click()
    await expect(page.getByRole('dialog', { name: 'Sell Tokens' })).toBeVisible()
    await page.getByLabel('Token Amount').press('Enter')
    await expect(page.getByRole('alert')).toHaveText('Fill in all fields')
    await expectAccessible(page)
    await page.getByLabel('Token Amount').fill('1')
    await page.getByLabel('Price (SOL)').fill('100')
    await expect(page.getByText('Is this the price you mean?')).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)

    await page.getByRole('tab', { name: 'My Listings' }).click()
    await expect(page.getByText('You have no active listings')).toBeVisible()
    await expectAccessible(page)
  })
}

test.describe('an unavailable server', () => {
  test.use({ allowedErrors: /Failed to load resource/ })

  test('is accessible too', async ({ page }) => {
    await page.route('**/{health,api/**}', (route) => route.abort())
    await page.goto('/')
    await expect(page.getByRole('heading', { name: 'Server Unavailable' })).toBeVisible()
    await expectAccessible(page)
  })
})

for (const width of [320, 390, 768, 1280, 1920, 3840]) {
  test(`nothing is cut off or shifts at ${width} pixels`, fullOnly(width !== 320 && width !== 1280), async ({ openContext, baseURL }) => {
    const context = await openContext({ viewport: { width, height: 900 }, reducedMotion: 'no-preference' })
    await installPhantom(context, baseURL ?? '')
    const page = await context.newPage()
    await watchShifts(page)
    await delayTypefaces(page)
    await page.goto('/')
    await expect(page.getByRole('article').first()).toBeVisible()
    await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeAttached()
    await typefacesAreDrawn(page)
    // Whoever touches the page has the cards measured.
    await page.mouse.move(1, 1)
    await expect(page.locator('.board')).toHaveCount(0)
    await expectShifts(page, { below: 0.01 })
    expect(await overflow(page)).toBe(0)
    await signIn(page)
    for (const [tab, content] of [
      ['Market', page.getByRole('article').first()],
      ['Inventory', page.getByRole('button', { name: 'Sell' }).first()],
      ['My Listings', page.getByText('You have no active listings')],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await expect(content).toBeVisible()
      expect(await overflow(page)).toBe(0)
    }
    await page.reload()
    await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
    await typefacesAreDrawn(page)
    await expectShifts(page, { below: 0.01 })
  })
}

for (const width of [320, 1280]) {
  test(`the welcome picture fits 1, 2 and 3 glasses at ${width} pixels`, fullOnly(width !== 320), async ({ openContext }) => {
    const context = await openContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    await page.goto('/')
    await expect(page.locator('.bar-glass')).toHaveCount(3)
    // From here on nothing but this test changes the picture, or how high the text beside it is.
    await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeAttached()
    await typefacesAreDrawn(page)
    await expect.poll(() => page.locator('.bar img').evaluateAll((all: HTMLImageElement[]) => all.every((one) => one.complete))).toBe(true)
    const { height } = await page.locator('.bar').evaluate(showGlasses, 3)
    for (const count of [1, 2, 3]) {
      const glasses = await page.locator('.bar').evaluate(showGlasses, count)
      expect(glasses, `${count} glasses`).toMatchObject({ height, shown: count, outside: 0, overlapping: 0, sizes: 1 })
    }
  })
}

/** Fills the bar with so many glasses, and measures those shown. */
function showGlasses(bar: Element, count: number) {
  const glass = bar.children[0]
  if (glass) bar.replaceChildren(...Array.from({ length: count }, () => glass.cloneNode(true)))
  const frame = bar.getBoundingClientRect()
  const boxes = [...bar.querySelectorAll('img')].map((image) => image.getBoundingClientRect()).filter(({ width }) => width > 0)
  const outside = boxes.filter(
    ({ left, right, top, bottom }) => left < frame.left || right > frame.right + 1 || top < frame.top - 1 || bottom > frame.bottom + 1,
  )
  const overlapping = boxes.filter((one) =>
    boxes.some((next) => next.left > one.left && next.left < one.right - 1 && Math.abs(next.top - one.top) < one.height / 2),
  )
  const sizes = new Set(boxes.map(({ width, height }) => `${Math.round(width)} ${Math.round(height)}`))
  return { height: frame.height, shown: boxes.length, outside: outside.length, overlapping: overlapping.length, sizes: sizes.size }
}

test('the other theme is there at once for those who want no motion', async ({ openContext }) => {
  const page = await (await openContext({ colorScheme: 'light', reducedMotion: 'reduce' })).newPage()
  await page.goto('/')
  await expect(page.getByRole('article').first()).toBeVisible()
  const toggle = page.getByRole('button', { name: 'Evening' })
  const moving = await toggle.evaluate(async (button: HTMLButtonElement) => {
    button.click()
    await new Promise((resolve) => requestAnimationFrame(resolve))
    return document.getAnimations().filter((animation) => animation instanceof CSSTransition).length
  })
  expect(moving).toBe(0)
})

test('the theme switch follows the system', async ({ openContext }) => {
  const page = await (await openContext({ colorScheme: 'light', reducedMotion: 'no-preference' })).newPage()
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Evening' })).toBeVisible()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.getByRole('button', { name: 'Daylight' })).toBeVisible()
})

test('the app works with the keyboard alone', async ({ openContext, baseURL }) => {
  const context = await openContext()
  await installPhantom(context, baseURL ?? '')
  const page = await context.newPage()
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Select Wallet' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Phantom/ })
    .focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  await page.getByRole('tab', { name: 'Market' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeFocused()
  await page.getByRole('button', { name: 'Sell' }).first().focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Token Amount')).toBeFocused()
  await page.keyboard.type('3')
  await page.keyboard.press('Tab')
  await page.keyboard.type('0.5')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Sell' }).first()).toBeFocused()
  await page.getByRole('tab', { name: 'Inventory' }).focus()
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Remove' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('You have no active listings')).toBeVisible()
  await expect(page.getByRole('tabpanel')).toBeFocused()
})

test('a long market scrolls to its end, with only the cards near the window in the page', async ({ page }) => {
  await page.route('**/api/marketplace/listings*', async (route) => {
    const cursor = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
    const listings = Array.from({ length: 50 }, (_, index) => longListing(cursor + index))
    await route.fulfill({ json: { listings, nextCursor: cursor + 50 < 400 ? String(cursor + 50) : null } })
  })
  await withoutFirstView(page)
  await page.goto('/')
  await expect(page.getByRole('article').first()).toBeVisible()
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
    await expect(page.getByRole('article').filter({ hasText: /Amount400/ })).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 30_000 })
  expect(await page.getByRole('article').count()).toBeLessThan(80)
})

for (const width of [320, 390, 1280]) {
  test(`the longest numbers fit their card at ${width} pixels`, fullOnly(width !== 320), async ({ openContext }) => {
    const context = await openContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    const amount = 1_000_000_000
    const dear = { ...longListing(0), amount, unitPrice: 0.000_999_999_999 }
    const cheap = { ...longListing(1), amount, price: 0.001, unitPrice: 1e-12 }
    await page.route('**/api/marketplace/listings*', (route) => route.fulfill({ json: { listings: [dear, cheap], nextCursor: null } }))
    await withoutFirstView(page)
    await page.goto('/')
    const cards = page.getByRole('article')
    await expect(cards).toHaveCount(2)
    for (const card of await cards.all()) {
      expect(
        await card.evaluate((element) => [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight]),
      ).toEqual([0, 0])
    }
  })
}

function longListing(index: number) {
  return {
    _id: `listing-${index}`,
    seller: '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW',
    tokenName: 'Apple Juice',
    tokenType: 'APPLE_JUICE',
    amount: index + 1,
    price: 999_999.999,
    unitPrice: 0.001,
    divisible: false,
    status: 'active',
    heldUntil: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  }
}

/** They come when the page is drawn without them, as on a slow network. */
async function delayTypefaces(page: Page): Promise<void> {
  await page.route('**/*.woff2', async (route) => {
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
    await route.continue()
  })
}

async function typefacesAreDrawn(page: Page): Promise<void> {
  const loaded = () => page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family))
  await expect.poll(loaded).toEqual(expect.arrayContaining(['Gabarito', 'Unbounded']))
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}
