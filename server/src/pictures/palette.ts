import { clampChroma, converter, formatHex, interpolate, wcagContrast } from 'culori'

export const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** The colours that a brand may choose for a theme. */
export const brandColors = ['page', 'card', 'text', 'dim', 'action', 'onAction'] as const
export type BrandColor = (typeof brandColors)[number]
export type ChosenColors = Partial<Record<BrandColor, string>>

/** The page's other colours, which are derived from those if any of them is chosen. */
type DerivedColor = 'raised' | 'well' | 'field' | 'line' | 'edge'
export type Palette = Record<BrandColor | DerivedColor, string>

/** Juicebar's own colours, as in web/src/styles/theme.css. */
export const housePalettes: Record<Theme, Palette> = {
  light: {
    page: 'oklch(0.962 0.013 84)',
    card: 'oklch(0.993 0.005 84)',
    raised: 'oklch(0.999 0.002 84)',
    well: 'oklch(0.93 0.015 84)',
    field: 'oklch(0.999 0.002 84)',
    line: 'oklch(0.865 0.018 84)',
    edge: 'oklch(0.56 0.03 285)',
    text: 'oklch(0.235 0.035 285)',
    dim: 'oklch(0.46 0.03 285)',
    action: 'oklch(0.235 0.035 285)',
    onAction: 'oklch(0.975 0.013 84)',
  },
  dark: {
    page: 'oklch(0.16 0.021 285)',
    card: 'oklch(0.213 0.026 285)',
    raised: 'oklch(0.252 0.03 285)',
    well: 'oklch(0.135 0.018 285)',
    field: 'oklch(0.135 0.018 285)',
    line: 'oklch(0.325 0.032 285)',
    edge: 'oklch(0.55 0.03 285)',
    text: 'oklch(0.962 0.014 84)',
    dim: 'oklch(0.755 0.022 285)',
    action: 'oklch(0.95 0.025 84)',
    onAction: 'oklch(0.19 0.03 285)',
  },
}

/** Colours with a fixed meaning, which no brand changes: also as in web/src/styles/theme.css. */
export const signalColors: Record<Theme, { warn: string; good: string }> = {
  light: { warn: 'oklch(0.5 0.13 60)', good: 'oklch(0.5 0.13 165)' },
  dark: { warn: 'oklch(0.86 0.13 85)', good: 'oklch(0.82 0.14 168)' },
}

/** The minimum contrasts of WCAG 2.2, level AA: for text (1.4.3), and for the boundaries and states of controls (1.4.11). */
export const TEXT_CONTRAST = 4.5
export const CONTROL_CONTRAST = 3

/** How far each derived colour moves from its source towards another colour, from 0 to 1: as far as in Juicebar's own palettes. */
const steps = {
  light: { card: 0.75, raised: 0.85, field: 0.85, well: 0.035, line: 0.16, dim: 0.32, edge: 0.45 },
  dark: { card: 0.06, raised: 0.045, field: 0.16, well: 0.16, line: 0.14, dim: 0.28, edge: 0.5 },
}
/** The number of steps in which a colour is moved back until it is readable. */
const ATTEMPTS = 40

/** How many shades of a colour there are from black to white, to choose from. */
const SHADES = 200

const WHITE = '#ffffff'
const BLACK = '#000000'

/** The contrast of two colours by WCAG, from 1 to 21, as they are shown: in 24 bits. */
export function contrast(one: string, other: string): number {
  return wcagContrast(toHex(one), toHex(other))
}

/** A colour as `#rrggbb`. */
export function toHex(color: string): string {
  const hex = formatHex(color)
  if (hex === undefined) throw new Error(`${color} is not a colour`)
  return hex
}

/**
 * All colours of a theme, some of which are chosen. Derived colours are readable wherever the chosen text is, and a field's edge is
 * visible; the chosen colours themselves are not checked here.
 */
export function completePalette(theme: Theme, chosen: ChosenColors): Palette {
  const house = housePalettes[theme]
  const action = chosen.action ?? house.action
  const actions = { action, onAction: chosen.onAction ?? (chosen.action === undefined ? house.onAction : inkOn(action)) }
  const { page, card, text, dim } = chosen
  return (page ?? card ?? text ?? dim) ? { ...deriveSurfaces(theme, chosen), ...actions } : { ...house, ...actions }
}

function deriveSurfaces(theme: Theme, chosen: ChosenColors): Omit<Palette, 'action' | 'onAction'> {
  const house = housePalettes[theme]
  const step = steps[theme]
  const page = chosen.page ?? house.page
  const card = chosen.card ?? (chosen.page === undefined ? house.card : mix(page, WHITE, step.card))
  const text = chosen.text ?? house.text
  const dim = chosen.dim ?? furthest(text, card, step.dim, (color) => isReadable(color, [page, card]))
  const carriesText = (color: string) => isReadable(text, [color]) && isReadable(dim, [color])
  const raised = furthest(card, WHITE, step.raised, carriesText)
  const well = furthest(page, BLACK, step.well, carriesText)
  const field = theme === 'dark' ? furthest(page, BLACK, step.field, carriesText) : furthest(card, WHITE, step.field, carriesText)
  const isSeen = (color: string) => [page, card, raised, field].every((under) => contrast(color, under) >= CONTROL_CONTRAST)
  return { page, card, text, dim, raised, well, field, line: mix(card, text, step.line), edge: furthest(text, card, step.edge, isSeen) }
}

function isReadable(text: string, surfaces: readonly string[]): boolean {
  return surfaces.every((surface) => contrast(text, surface) >= TEXT_CONTRAST)
}

/** The colour furthest from one towards another, up to `most`, that is good; the first one if none is. */
function furthest(from: string, to: string, most: number, isGood: (color: string) => boolean): string {
  const attempts = Array.from({ length: ATTEMPTS }, (_, index) => mix(from, to, most * (1 - index / ATTEMPTS)))
  return attempts.find(isGood) ?? toHex(from)
}

function mix(from: string, to: string, amount: number): string {
  return toHex(formatHex(interpolate([from, to], 'oklab')(amount)))
}

/** Nearly black or nearly white, whichever can be read better. Around the middle both can. */
function inkOn(color: string): string {
  const [dark, light] = ['#14141a', WHITE]
  return contrast(dark, color) >= contrast(light, color) ? dark : light
}

/** The hue of a colour in degrees of OKLCH; undefined for a grey. */
export function hueOf(color: string): number | undefined {
  const { c, h } = converter('oklch')(color) ?? {}
  return c === undefined || c < 0.01 ? undefined : h
}

/**
 * The nearest shade of a colour that is distinct from all of these surfaces (WCAG 2.2, 1.4.11), as `#rrggbb`: darker or lighter, in
 * the same hue and as colourful as screens can show it. The colour itself if no shade can, which needs surfaces both light and dark.
 */
export function shadeAgainst(color: string, surfaces: readonly string[]): string {
  const { l = 0, c = 0, h } = converter('oklch')(color) ?? {}
  const shade = (lightness: number) =>
    toHex(formatHex(clampChroma({ mode: 'oklch', l: lightness, c, ...(h !== undefined && { h }) }, 'oklch')))
  const isSeen = (seen: string) => surfaces.every((surface) => contrast(seen, surface) >= CONTROL_CONTRAST)
  if (isSeen(color)) return toHex(color)
  for (let step = 1; step <= SHADES; step++) {
    const lightnesses = [l - step / SHADES, l + step / SHADES].filter((lightness) => lightness >= 0 && lightness <= 1)
    const found = lightnesses.map(shade).find(isSeen)
    if (found !== undefined) return found
  }
  return toHex(color)
}
