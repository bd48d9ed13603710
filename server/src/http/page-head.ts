import { createHash } from 'node:crypto'
import { MARKET_SETTINGS_ID, type MarketSettings } from '@juicebar/contract/market-settings'
import { type FastifyInstance } from 'fastify'

/** Where the web app's index.html wants what is rendered here. */
const PLACE = '<!--market-head-->'

/** The web app manifest, which browsers need to install the market. */
export const MANIFEST_PATH = '/files/market.webmanifest'

const pictureTypes: Record<string, string> = { svg: 'image/svg+xml', webp: 'image/webp' }

/** The HTML's metadata about this market, for browsers, link previews and the web app. */
export interface PageHead {
  settings: MarketSettings
  /** One or two sentences, for search results and link previews. */
  description: string
  /** A page's own metadata, if it is about a specific subject. */
  page?: PageText | undefined
  /** What the browser colours around the page, by theme. */
  themeColors: { light: string; dark: string }
  /** The address that players see; undefined if only this machine can reach it. */
  publicOrigin: string | undefined
  preview: PreviewPicture
  /** The path of a style sheet to load in addition to the web app's own. */
  styleSheet: string | undefined
}

/** The picture of link previews. */
export interface PreviewPicture {
  /** Its path on this server. */
  path: string
  /** In pixels, for a picture meant to be as wide as the preview; without it, the picture is shown small. */
  size?: { width: number; height: number }
}

export interface PageText {
  title: string
  description: string
  /** Its path on this server. */
  path: string
  /** The path of the subject's picture, which the browser fetches along with the page. */
  picture?: string
}

/** Puts the market's part into the head of a built page; undefined if the page has no place for it. */
export function renderPage(template: string, head: PageHead): string | undefined {
  const parts = template.split(PLACE)
  return parts.length === 2 ? parts.join(renderHead(head)) : undefined
}

/** The market's part of the head, as HTML. Nothing in it can end the element or the attribute that it is in. */
export function renderHead({ settings, page, themeColors, publicOrigin, styleSheet, preview, ...market }: PageHead): string {
  const { title: marketTitle, logo } = settings
  const title = page ? `${page.title} · ${marketTitle}` : marketTitle
  const description = page?.description ?? market.description
  return [
    `<title>${escape(title)}</title>`,
    tag('meta', { name: 'description', content: description }),
    tag('meta', { property: 'og:type', content: 'website' }),
    tag('meta', { property: 'og:title', content: page?.title ?? title }),
    ...(page ? [tag('meta', { property: 'og:site_name', content: marketTitle })] : []),
    tag('meta', { property: 'og:description', content: description }),
    ...(page && publicOrigin !== undefined ? [tag('meta', { property: 'og:url', content: new URL(page.path, publicOrigin).href })] : []),
    ...(publicOrigin === undefined ? [] : previewTags(preview, publicOrigin)),
    ...(['dark', 'light'] as const).map((theme) =>
      tag('meta', { name: 'theme-color', media: `(prefers-color-scheme: ${theme})`, content: themeColors[theme] }),
    ),
    tag('link', { rel: 'manifest', href: MANIFEST_PATH }),
    tag('link', { rel: 'icon', href: logo, type: pictureTypes[logo.split('.').at(-1) ?? ''] ?? '' }),
    ...(styleSheet === undefined ? [] : [tag('link', { rel: 'stylesheet', href: styleSheet })]),
    ...(page?.picture === undefined ? [] : [tag('link', { rel: 'preload', as: 'image', href: page.picture, fetchpriority: 'high' })]),
    // A block of another type than JavaScript is never run, so the content security policy has nothing to allow.
    `<script type="application/json" id="${MARKET_SETTINGS_ID}">${escapeJson(settings)}</script>`,
  ].join('\n    ')
}

/** Open Graph (ogp.me), plus a tag that several apps need: whether the picture is large. */
function previewTags({ path, size }: PreviewPicture, publicOrigin: string): string[] {
  return [
    tag('meta', { property: 'og:image', content: new URL(path, publicOrigin).href }),
    ...(size === undefined
      ? []
      : [
          tag('meta', { property: 'og:image:width', content: String(size.width) }),
          tag('meta', { property: 'og:image:height', content: String(size.height) }),
        ]),
    tag('meta', { name: 'twitter:card', content: size === undefined ? 'summary' : 'summary_large_image' }),
  ]
}

function tag(name: string, attributes: Record<string, string>): string {
  const list = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escape(value)}"`)
  return `<${name}${list.join('')} />`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** JSON in which neither `</script>` nor `<!--` can occur. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

/** Of the build's own icons: square PNG files, the last one with room around it for systems that cut icons to a shape. */
const houseIcons = [
  { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' },
  { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
  { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
]

/** The installed market's name, colours and icon. A studio's own logo is used in all sizes. */
export function webManifest({ settings: { title, logo }, description, themeColors }: PageHead) {
  const isHouse = logo === HOUSE_LOGO
  return {
    id: '/',
    name: title,
    short_name: shortName(title),
    description,
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: themeColors.dark,
    theme_color: themeColors.dark,
    icons: isHouse ? houseIcons : [{ src: logo, sizes: 'any', type: logo.endsWith('.webp') ? 'image/webp' : 'image/svg+xml' }],
  }
}

/** As many whole words as fit. */
function shortName(title: string): string {
  const words = title.split(' ')
  while (words.length > 1 && words.join(' ').length > MAX_SHORT_NAME) words.pop()
  return words.join(' ').slice(0, MAX_SHORT_NAME)
}

const HOUSE_LOGO = '/favicon.svg'
/** Longer names are cut off below an icon. */
const MAX_SHORT_NAME = 12

/** A style sheet that the page loads in addition to the web app's own. */
export interface StyleSheet {
  /** Its path on this server, with a hash of its content, so that the content at a path never changes. */
  path: string
  css: string
}

const HASH_LENGTH = 12

/** Names a style sheet by its content. */
export function styleSheetOf(name: string, css: string): StyleSheet {
  const hash = createHash('sha256').update(css).digest('hex').slice(0, HASH_LENGTH)
  return { path: `/files/${name}.${hash}.css`, css }
}

/** Serves a style sheet at its path, cacheable forever. */
export function serveStyleSheet(fastify: FastifyInstance, { path, css }: StyleSheet): void {
  fastify.get(path, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=31536000, immutable').send(css),
  )
}
