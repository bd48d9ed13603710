import { expect, onTestFinished, test, vi } from 'vitest'

test('the settings in the HTML are read once', async () => {
  vi.resetModules()
  // The files that come after this one read their own.
  onTestFinished(() => void vi.resetModules())
  const { marketSettings } = await import('../src/settings/market-settings.ts')
  const settings = { title: 'Moonbase', logo: '/favicon.svg', welcome: null, footer: null, catalogue: [], ownItems: false }
  const getElementById = vi.fn<(id: string) => object>(() => ({ textContent: JSON.stringify(settings) }))
  vi.stubGlobal('document', { getElementById })
  expect(marketSettings()).toEqual(settings)
  expect(marketSettings()).toBe(marketSettings())
  expect(getElementById.mock.calls).toEqual([['market-settings']])
})
