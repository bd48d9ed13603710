import { MARKET_SETTINGS_ID, type MarketSettings } from '@juicebar/contract/market-settings'

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
function escapeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
