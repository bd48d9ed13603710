import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contrastProblems } from '../../src/brand/brand.ts'
import {
  brandColors,
  type ChosenColors,
  completePalette,
  contrast,
  CONTROL_CONTRAST,
  housePalettes,
  signalColors,
  TEXT_CONTRAST,
  type Theme,
  themes,
} from '../../src/pictures/palette.ts'

const themeFile = new URL('../../../web/src/styles/theme.css', import.meta.url)

/** Colours with all channels in a range. */
function between(min: number, max: number): fc.Arbitrary<string> {
  const channel = fc.integer({ min, max }).map((value) => value.toString(16).padStart(2, '0'))
  return fc.tuple(channel, channel, channel).map((channels) => `#${channels.join('')}`)
}

/** Colours of a brand, which are accepted or nearly. */
function choices(theme: Theme): fc.Arbitrary<ChosenColors> {
  const [surface, ink] = theme === 'light' ? [between(215, 255), between(0, 140)] : [between(0, 60), between(140, 255)]
  return fc.record({ page: surface, card: surface, text: ink, dim: ink, action: ink, onAction: surface }, { requiredKeys: [] })
}

describe('Juicebar’s own colours', () => {
  it('are those of the web app', () => {
    const css = readFileSync(themeFile, 'utf8')
    const inCss = Object.fromEntries(
      [...css.matchAll(/--color-([\w-]+): light-dark\((oklch\([^)]+\)), (oklch\([^)]+\))\);/g)].map(([, name = '', light, dark]) => [
        name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
        { light, dark },
      ]),
    )
    for (const theme of themes)
      for (const [name, color] of Object.entries({ ...housePalettes[theme], ...signalColors[theme] })) {
        expect([name, inCss[name]?.[theme]]).toEqual([name, color])
      }
  })

  it.each(themes)('would be accepted as a brand, %s', (theme) => {
    const own = Object.fromEntries(brandColors.map((name) => [name, housePalettes[theme][name]]))
    expect(contrastProblems(theme, own)).toEqual([])
  })
})

describe('the contrast of two colours', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.478],
    ['#767676', '#ffffff', 4.542],
    ['#ffffff', '#ffffff', 1],
  ])('%s on %s is that of WCAG', (front, back, ratio) => {
    expect(contrast(front, back)).toBeCloseTo(ratio, 2)
    expect(contrast(back, front)).toBe(contrast(front, back))
  })

  it('that is too small never looks like enough', () => {
    const [found] = contrastProblems('light', { page: '#ffffff', card: '#ffffff', text: '#777777' })
    expect(found).toEqual({
      field: 'text',
      problem: '"colors.light.text" (#777777) on "colors.light.page" (#ffffff) has a contrast of 4.47 to 1. It must be at least 4.5.',
    })
  })
})

describe('the colours of a brand', () => {
  it.each([
    ['light', { page: '#101418', text: '#f4f4f4', card: '#181c20', action: '#f4f4f4' }],
    ['dark', { page: '#f4f4f4', card: '#ffffff', text: '#101010', action: '#101010' }],
  ] as const)('are refused if their %s theme is none', (theme, colors) => {
    expect(contrastProblems(theme, colors).length).toBeGreaterThan(0)
  })

  it('are refused with the pair of a button and its words', () => {
    expect(contrastProblems('dark', { action: '#ffb45e', onAction: '#ffffff' })).toEqual([
      {
        field: 'onAction',
        problem: '"colors.dark.onAction" (#ffffff) on "colors.dark.action" (#ffb45e) has a contrast of 1.75 to 1. It must be at least 4.5.',
      },
    ])
  })

  it('are refused if the market’s own warnings cannot be read on them', () => {
    expect(contrastProblems('light', { page: '#f0c48a', card: '#f7ddb8' }).map(({ problem }) => problem)).toContainEqual(
      expect.stringMatching(/^the market’s colour for warnings \(#[0-9a-f]{6}\) on "colors\.light\.page" \(#f0c48a\) has a contrast of /),
    )
  })

  it('that are accepted can be read everywhere they are used', () => {
    const themed = fc.constantFrom(...themes).chain((theme) => fc.tuple(fc.constant(theme), choices(theme)))
    fc.assert(
      fc.property(themed, ([theme, colors]) => {
        fc.pre(contrastProblems(theme, colors).length === 0)
        const { page, card, raised, well, field, edge, text, dim, action, onAction } = completePalette(theme, colors)
        for (const surface of [page, card, raised, well, field]) {
          expect(contrast(text, surface)).toBeGreaterThanOrEqual(TEXT_CONTRAST)
          expect(contrast(dim, surface)).toBeGreaterThanOrEqual(TEXT_CONTRAST)
        }
        for (const signal of Object.values(signalColors[theme]))
          for (const surface of [page, card]) expect(contrast(signal, surface)).toBeGreaterThanOrEqual(TEXT_CONTRAST)
        for (const surface of [page, card, field]) expect(contrast(edge, surface)).toBeGreaterThanOrEqual(CONTROL_CONTRAST)
        expect(contrast(onAction, action)).toBeGreaterThanOrEqual(TEXT_CONTRAST)
      }),
    )
  })

  it('that are not chosen stay Juicebar’s', () => {
    expect(completePalette('light', {})).toEqual(housePalettes.light)
    const { action, onAction, ...rest } = completePalette('dark', { action: '#ffb45e' })
    expect([action, onAction]).toEqual(['#ffb45e', '#14141a'])
    expect(housePalettes.dark).toMatchObject(rest)
  })
})
