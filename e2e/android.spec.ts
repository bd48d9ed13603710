import { expect, test } from './support/test.ts'

const android = {
  userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
}

// The adapter has inline styles, which the content security policy refuses.
test.use({ allowedErrors: /Applying inline style/ })

test('a phone without a wallet is told so in the page’s own dialog', async ({ openContext }) => {
  const context = await openContext({ ...android, permissions: ['local-network-access'] })
  const page = await context.newPage()
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Mobile Wallet Adapter/ })
    .click()
  const dialog = page.getByRole('dialog', { name: "We can't find a wallet." })
  await expect(dialog).toContainText(
    'To use mobile wallet adapter, you must have a compatible mobile wallet application installed on your device.',
  )
  // From here on, Chromium's own question whether to open solana-wallet: swallows every real click.
  await dialog.getByRole('button', { name: 'OK' }).dispatchEvent('click')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Connect', exact: true })).toBeEnabled()
})

test('inside another app’s browser the picker says that this cannot work', async ({ openContext }) => {
  const context = await openContext({
    ...android,
    userAgent: android.userAgent.replace('Pixel 9)', 'Pixel 9; wv)').replace('Chrome', 'Version/4.0 Chrome'),
  })
  const page = await context.newPage()
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await expect(page.getByRole('dialog')).toContainText('This browser appears to be incompatible with mobile wallet adapter.')
  await expect(page.getByRole('dialog').getByRole('button', { name: /Mobile Wallet Adapter/ })).toHaveCount(0)
})
