import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { expect, it } from 'vitest'

import { listFiles, readText, root } from './repository.ts'

const code = /^```[\s\S]*?^```|`[^`\n]*`/gm
const link = /\]\(([^)\s]+)\)/g
const heading = /^#+ (.+)$/gm
const elsewhere = /^[a-z]+:/

/** Where a link leads: a file of this repository and a section of it. */
interface Target {
  path: string
  section: string | undefined
}

function targetsOf(path: string, markdown: string): Target[] {
  const links = [...markdown.replaceAll(code, '').matchAll(link)].map(([, target = '']) => target)
  return links
    .filter((target) => !elsewhere.test(target))
    .map((target) => {
      const [file = '', section] = target.split('#')
      return { path: file === '' ? path : join(dirname(path), file), section }
    })
}

/** The anchor that GitHub gives a heading. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

async function hasSection(path: string, section: string): Promise<boolean> {
  const titles = [...(await readText(path)).replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(heading)].map(([, title = '']) => slug(title))
  return titles.includes(section)
}

it.each(listFiles('.md'))('every link in %s leads somewhere', async (path) => {
  const dead: string[] = []
  for (const { path: target, section } of targetsOf(path, await readText(path))) {
    if (!existsSync(join(root, target))) dead.push(target)
    else if (section !== undefined && !(await hasSection(target, section))) dead.push(`${target}#${section}`)
  }
  expect(dead).toEqual([])
})
