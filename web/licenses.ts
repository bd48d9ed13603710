import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { type Plugin } from 'vite'

/** The licences of everything that the build puts into the web app. Vite writes those of the code (`build.license`). */
export const LICENSES_FILE = 'licenses.txt'

/** Adds what is no code, so that Vite does not list it: the typefaces, and Tailwind, whose style sheets are part of ours. */
export function otherLicenses(): Plugin {
  let root = ''
  return {
    name: 'other-licenses',
    apply: 'build',
    configResolved(config) {
      root = config.root
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const list = bundle[LICENSES_FILE]
        if (list?.type !== 'asset') return this.error(`Vite wrote no ${LICENSES_FILE}`)
        const files = Object.values(bundle).flatMap((file) => (file.type === 'asset' ? file.originalFileNames : []))
        const folders = [...files, '../node_modules/tailwindcss/index.css'].map(
          (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0],
        )
        for (const folder of new Set(folders)) if (folder) list.source += licenseOf(resolve(root, folder))
      },
    },
  }
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no licence text`)
  return `\n## ${name} - ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
