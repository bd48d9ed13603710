import { describe, expect, test, vi } from 'vitest'

import { houseSettings, servePage } from './support/market-page.ts'

const sabre = { code: 'COMET_SABRE', name: 'Comet Sabre', image: '/files/comet-sabre.1.svg', color: { light: '#b0306a', dark: '#f0679e' } }

/** The modules of a page that a market of these items has served. */
async function openPage(own: boolean) {
  vi.resetModules()
  servePage(own ? { ...houseSettings, ownItems: true, catalogue: [sabre] } : houseSettings)
  const { catalogue } = await import('../src/catalogue/catalogue.ts')
  const { inMarketWords } = await import('../src/catalogue/catalogue.ts')
  const { namedLike, ownedItems } = await import('../src/features/inventory/owned-list.tsx')
  return { catalogue, inMarketWords, namedLike, ownedItems }
}

describe('the catalogue', () => {
  test('knows each item by its code', async () => {
    const { catalogue } = await openPage(true)
    expect(catalogue().item('COMET_SABRE')).toEqual(sabre)
    expect(catalogue().nameOf('COMET_SABRE')).toBe('Comet Sabre')
    expect(catalogue()).toBe(catalogue())
  })

  test('shows an item that only a newer server knows by its code, with a picture', async () => {
    const { catalogue } = await openPage(false)
    expect(catalogue().item('COMET_SABRE')).toEqual({
      code: 'COMET_SABRE',
      name: 'COMET_SABRE',
      image: expect.stringMatching(/svg/),
    })
  })
})

describe('the words of a market', () => {
  test('are of drinks where drinks are traded', async () => {
    const { inMarketWords } = await openPage(false)
    expect(inMarketWords('Choose a drink. Drinks of all kinds.')).toBe('Choose a drink. Drinks of all kinds.')
  })

  test('are of items where a studio’s own are traded', async () => {
    const { inMarketWords } = await openPage(true)
    expect(inMarketWords('Choose a drink. Drinks of all kinds.')).toBe('Choose an item. Items of all kinds.')
  })
})

describe('what a wallet has', () => {
  const balances = { grapeSoda: 3, orangeJuice: 0, appleJuice: 5, cometSabre: 2 }

  test('is in the order of the catalogue, and counts the kinds that the page does not know', async () => {
    const { ownedItems } = await openPage(false)
    const owned = [
      { tokenType: 'APPLE_JUICE', balance: 5 },
      { tokenType: 'GRAPE_SODA', balance: 3 },
    ]
    expect(ownedItems(balances)).toEqual({ owned, unknownKinds: 1 })
    expect(ownedItems({})).toEqual({ owned: [], unknownKinds: 0 })
  })

  test('is found by a part of its name', async () => {
    const { ownedItems, namedLike } = await openPage(false)
    const { owned } = ownedItems(balances)
    expect(namedLike(owned, ' SODA ').map(({ tokenType }) => tokenType)).toEqual(['GRAPE_SODA'])
    expect(namedLike(owned, '')).toEqual(owned)
  })
})
