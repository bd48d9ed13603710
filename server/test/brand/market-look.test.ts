import { readFile } from 'node:fs/promises'
import { type CatalogueItem } from '@juicebar/contract/catalogue'
import { describe, expect, it } from 'vitest'
import { catalogueOf, defaultCatalogue } from '../support/catalogue.ts'
import { houseBrand } from '../../src/brand/brand.ts'
import { marketLook } from '../../src/brand/market-look.ts'
import { readBrand } from '../../src/brand/read-brand.ts'
import { readConfig } from '../../src/config.ts'
import { serve } from '../http/test-server.ts'
import { brandFolder, plainSvg } from './market-files.ts'

const forEver = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' }
const sandboxed = { 'content-security-policy': expect.stringMatching(/^default-src 'none'; .*sandbox/) }
const asSvg = { 'content-type': 'image/svg+xml', ...forEver, ...sandboxed }
const online = { HOST: '0.0.0.0', PUBLIC_ORIGIN: 'https://market.example' }

describe('a market without a brand', () => {
  it('says what the specification says', () => {
    const { head, pictures, styleSheet } = marketLook(readConfig({}), houseBrand, defaultCatalogue)
    expect(head).toEqual({
      settings: {
        title: 'Juicebar Marketplace',
        logo: '/favicon.svg',
        welcome: null,
        footer: null,
        catalogue: defaultCatalogue.items,
        ownItems: false,
      },
      description: 'Trade Apple Juice, Orange Juice and Grape Soda, paid wallet to wallet in SOL.',
      themeColors: { light: '#f7f2e9', dark: '#0c0c16' },
      publicOrigin: undefined,
      preview: { path: '/preview.png', size: { width: 1200, height: 630 } },
      styleSheet: undefined,
    })
    expect([pictures, styleSheet]).toEqual([defaultCatalogue.pictures, undefined])
  })

  it('names no more than a few items for search results', () => {
    const { head } = marketLook(readConfig({}), houseBrand, catalogueOf(7))
    expect(head.description).toBe('Trade Item 001, Item 002, Item 003, Item 004 and more, paid wallet to wallet in SOL.')
  })

  it('has the colours of a studio’s own items, for both themes', () => {
    const look = marketLook(readConfig({}), houseBrand, catalogueOf(2))
    const [{ code, color }] = look.head.settings.catalogue as [CatalogueItem, CatalogueItem]
    expect(look.styleSheet?.css).toContain(
      `[data-token='${code}'] { --fruit: light-dark(${color.light}, ${color.dark}); --glow: ${color.dark}; }`,
    )
    expect(look.styleSheet?.css).toContain(':root { --glasses: 2; }')
    expect(look.head.styleSheet).toBe(look.styleSheet?.path)
  })

  it('knows its address for link previews once it has one', () => {
    expect(marketLook(readConfig(online), houseBrand, defaultCatalogue).head.publicOrigin).toBe('https://market.example')
  })
})

describe('the pictures of the items', () => {
  it('are served for ever, as what they are and nothing else', async () => {
    const look = marketLook(readConfig(online), houseBrand, defaultCatalogue)
    const fastify = await serve(() => {}, {}, { look })
    for (const { image } of look.head.settings.catalogue) {
      const picture = await fastify.inject({ url: image })
      expect([picture.statusCode, picture.body]).toEqual([200, expect.stringMatching(/^<svg /)])
      expect(picture.headers).toMatchObject(asSvg)
    }
  })
})

it('the picture of Juicebar’s link previews is a PNG of the size that it says', async () => {
  const { path, size } = marketLook(readConfig(online), houseBrand, defaultCatalogue).head.preview
  const png = await readFile(new URL(`../../../web/public${path}`, import.meta.url))
  expect(png.toString('latin1', 1, 4)).toBe('PNG')
  expect({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) }).toEqual(size)
  expect(png.length).toBeLessThanOrEqual(100_000)
})

describe('the files of a brand', () => {
  async function serveBrand() {
    const colors = { light: { action: '#0b6b5d' } }
    const brand = await readBrand(await brandFolder({ logo: 'logo.svg', colors }, { 'logo.svg': plainSvg }))
    const look = marketLook(readConfig(online), brand, defaultCatalogue)
    return { look, fastify: await serve(() => {}, {}, { look }) }
  }

  it('are served for ever, as what they are and nothing else', async () => {
    const { look, fastify } = await serveBrand()
    expect(look.head.preview).toEqual({ path: look.head.settings.logo })
    const logo = await fastify.inject({ url: look.head.settings.logo })
    expect([logo.statusCode, logo.body]).toEqual([200, plainSvg])
    expect(logo.headers).toMatchObject(asSvg)
    const sheet = await fastify.inject({ url: look.head.styleSheet ?? '' })
    expect([sheet.statusCode, sheet.body]).toEqual([200, look.styleSheet?.css])
    expect(sheet.headers).toMatchObject({ 'content-type': 'text/css; charset=utf-8', ...forEver })
  })

  it('have another address as soon as they change', async () => {
    const { fastify } = await serveBrand()
    expect((await fastify.inject({ url: '/files/logo.000000000000.svg' })).json()).toMatchObject({ code: 'NOT_FOUND' })
  })
})
