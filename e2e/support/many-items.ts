import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const EXAMPLE = fileURLToPath(new URL('../../examples/brand/', import.meta.url))

const makes =
  'Amber Azure Bronze Copper Coral Crimson Dusky Emerald Frosted Gilded Hollow Ivory Jade Lunar Misty Onyx Pearl Rusty Silver Velvet'
const things = 'Lantern Sabre Teapot Compass Chalice Talisman Sextant Hourglass Spyglass Ledger'

/** The names of two hundred items. */
export const manyNames = makes.split(' ').flatMap((make) => things.split(' ').map((thing) => `${make} ${thing}`))

/** Writes a catalogue of two hundred items, with pictures of the example's. `remove` deletes it. */
export function writeManyItems(): { catalogue: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'juicebar-catalogue-'))
  const pictures = readdirSync(EXAMPLE).filter((name) => name.endsWith('.svg') && name !== 'logo.svg')
  for (const picture of pictures) copyFileSync(join(EXAMPLE, picture), join(folder, picture))
  const items = manyNames.map((name, index) => ({
    code: name.toUpperCase().replace(' ', '_'),
    name,
    image: pictures[index % pictures.length],
    color: colorOf(index),
  }))
  const catalogue = join(folder, 'catalogue.json')
  writeFileSync(catalogue, JSON.stringify(items))
  return { catalogue, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Any colour, and others for the items around it. */
function colorOf(index: number): string {
  const channel = (step: number) => (64 + ((index * step) % 160)).toString(16).padStart(2, '0')
  return `#${channel(37)}${channel(91)}${channel(53)}`
}
