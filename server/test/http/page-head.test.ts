import { MARKET_SETTINGS_ID } from '@juicebar/contract/market-settings'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { renderHead, renderPage } from '../../src/http/page/page-head.ts'
import { testHead } from './test-server.ts'

const block = new RegExp(`<script type="application/json" id="${MARKET_SETTINGS_ID}">(.*?)</script>`, 's')

describe('the market’s part of the page’s head', () => {
  it('is the title, the description, the link preview, the icon and the settings', () => {
    expect(
      renderHead(testHead)
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      '<title>Moonbase</title>',
      '<meta name="description" content="Trade moon rocks." />',
      '<meta property="og:type" content="website" />',
      '<meta property="og:title" content="Moonbase" />',
      '<meta property="og:description" content="Trade moon rocks." />',
      '<meta property="og:image" content="https://market.example/preview.png" />',
      '<meta property="og:image:width" content="1200" />',
      '<meta property="og:image:height" content="630" />',
      '<meta name="twitter:card" content="summary_large_image" />',
      '<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#000000" />',
      '<meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff" />',
      '<link rel="manifest" href="/files/market.webmanifest" />',
      '<link rel="icon" href="/favicon.svg" type="image/svg+xml" />',
      '<script type="application/json" id="market-settings">{"title":"Moonbase","logo":"/favicon.svg","welcome":null,"footer":null,"catalogue":[],"ownItems":false}</script>',
    ])
  })

  it('loads the style sheet before anything is drawn', () => {
    expect(renderHead({ ...testHead, styleSheet: '/files/colors.1a2b.css' })).toContain(
      '<link rel="stylesheet" href="/files/colors.1a2b.css" />',
    )
  })

  it('has the browser fetch the picture that a page is about', () => {
    const page = { title: 'Moon Rock', description: 'What a moon rock costs.', path: '/thing/MOON_ROCK' }
    expect(renderHead({ ...testHead, page: { ...page, picture: '/files/rock.1a2b.svg' } })).toContain(
      '<link rel="preload" as="image" href="/files/rock.1a2b.svg" fetchpriority="high" />',
    )
    expect(renderHead({ ...testHead, page })).not.toContain('preload')
  })

  it('shows a picture of unknown size small', () => {
    const tags = renderHead({ ...testHead, preview: { path: '/files/logo.1a2b.webp' } }).match(
      /<meta (?:property="og:image|name="twitter).*>/g,
    )
    expect(tags).toEqual([
      '<meta property="og:image" content="https://market.example/files/logo.1a2b.webp" />',
      '<meta name="twitter:card" content="summary" />',
    ])
  })

  it('has no preview picture if only this machine knows the market’s address', () => {
    expect(renderHead({ ...testHead, publicOrigin: undefined })).not.toMatch(/og:image|twitter:card/)
  })

  it.each(['</script><script>alert(1)</script>', '<!--<script>', '</title>', '" onload="alert(1)', '&quot;', '$&', '<!--market-head-->'])(
    'cannot be left by %s',
    (text) => {
      const head = renderHead({ ...testHead, description: text, settings: { ...testHead.settings, title: text } })
      const settings = block.exec(head)?.[1] ?? ''
      expect(JSON.parse(settings)).toEqual({ ...testHead.settings, title: text })
      expect(settings).not.toContain('<')
      expect(head.replace(block, '').match(/<\/?(\w+)/g)).toEqual(
        renderHead(testHead)
          .replace(block, '')
          .match(/<\/?(\w+)/g),
      )
      expect(renderPage('<head><!--market-head--></head>', { ...testHead, description: text })?.match(/<\/head>/g)).toHaveLength(1)
    },
  )

  it('carries any text unchanged, in attributes and in the block', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const head = renderHead({ ...testHead, description: text, settings: { ...testHead.settings, title: text } })
        expect(JSON.parse(block.exec(head)?.[1] ?? '')).toEqual({ ...testHead.settings, title: text })
        const [, description = ''] = /name="description" content="([^"]*)"/.exec(head) ?? []
        expect(unescape(description)).toBe(text)
      }),
    )
  })
})

describe('a page', () => {
  it('needs exactly one place for it', () => {
    expect(renderPage('<head></head>', testHead)).toBeUndefined()
    expect(renderPage('<!--market-head--><!--market-head-->', testHead)).toBeUndefined()
  })
})

/** As a browser reads the text of an attribute. */
function unescape(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
