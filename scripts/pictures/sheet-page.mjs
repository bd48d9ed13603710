import { pathToFileURL } from 'node:url'

const style = `
  body { margin: 2rem; background: #888; color: #000; font: 1rem/1.4 system-ui, sans-serif }
  h2 { margin: 2rem 0 .5rem; font-size: 1.1rem }
  section > div { display: flex; gap: 1rem; align-items: start; overflow-x: auto }
  a { position: relative; flex: none; color: inherit; font-size: .8rem }
  a img { display: block; width: calc(var(--width) * var(--scale, .3) * 1px) }
  /* The lower edge of the first screen. */
  a span { position: relative; display: block }
  a span::after { position: absolute; top: calc(var(--fold) * 100%); right: 0; left: 0; border-top: 1px dashed #f0f; content: '' }
`

/**
 * The page that shows all pictures, or, after a comparison, those that have changed beside what they were, the most changed first.
 *
 * @param {import('./sheet.mjs').Shot[]} shots
 * @param {{ before: string | undefined, changed: Map<string, number> | undefined }} comparison
 */
export function sheetPage(shots, { before, changed }) {
  const parts = changed ? changedParts(shots, changed, before ?? '') : stateParts(shots)
  const scale = `<label>Size <input type="range" min="0.1" max="1" step="0.05" value="0.3" oninput="document.body.style.setProperty('--scale', this.value)"></label>`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screens</title><style>${style}</style>${scale}${parts.join('')}</html>\n`
}

/** @param {import('./sheet.mjs').Shot[]} shots */
function stateParts(shots) {
  const states = new Set(shots.map(({ state }) => state))
  return [...states].map((state) => {
    const own = shots.filter((shot) => shot.state === state)
    return part(
      state,
      own.map((shot) => picture(shot, shot.file)),
    )
  })
}

/**
 * @param {import('./sheet.mjs').Shot[]} shots
 * @param {Map<string, number>} changed
 * @param {string} before
 */
function changedParts(shots, changed, before) {
  /** @param {import('./sheet.mjs').Shot} shot */
  const share = ({ file }) => changed.get(file) ?? 0
  return shots
    .filter(share)
    .toSorted((a, b) => share(b) - share(a))
    .map((shot) =>
      part(`${shot.state}: ${(share(shot) * 100).toFixed(2)} %`, [
        picture(shot, pathToFileURL(`${before}/${shot.file}`).href),
        picture(shot, shot.file),
      ]),
    )
}

/**
 * @param {string} title
 * @param {string[]} pictures
 */
function part(title, pictures) {
  return `<section><h2>${title}</h2><div>${pictures.join('')}</div></section>`
}

/**
 * @param {import('./sheet.mjs').Shot} shot
 * @param {string} url
 */
function picture({ state, width, scheme, fold }, url) {
  const name = `${width}, ${scheme}`
  return `<a href="${url}" style="--width:${width};--fold:${fold}">${name}<span><img loading="lazy" src="${url}" alt="${state}, ${name}"></span></a>`
}
