import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folders, below `root`, of installed packages and of all that they need at run time.
 *
 * @param {string} root
 * @param {string[]} names
 * @returns {string[]}
 */
export function runtimePackages(root, names) {
  /** @type {Set<string>} */
  const found = new Set()
  /** @type {{ name: string, from: string }[]} */
  const wanted = names.map((name) => ({ name, from: '' }))
  for (const { name, from } of wanted) {
    const path = findPackage(root, name, from)
    if (found.has(path)) continue
    found.add(path)
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
    wanted.push(...Object.keys(dependencies).map((dependency) => ({ name: dependency, from: path })))
  }
  return [...found]
}

/**
 * Looks where Node.js looks.
 *
 * @param {string} root
 * @param {string} name
 * @param {string} from the folder of the package that needs it
 */
function findPackage(root, name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(join(root, path, 'package.json'))) return path
    if (folder === '' || folder === '.') throw new Error(`${name} is not installed`)
  }
}
