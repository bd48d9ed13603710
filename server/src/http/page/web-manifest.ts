import { type PageHead } from './page-head.ts'

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
