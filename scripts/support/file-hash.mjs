import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The hash of what files contain and what they are called. When they were written does not matter: a checkout writes them again.
 *
 * @param {string} folder
 * @param {string[]} paths in that folder; of a folder all that is in it, and of what is not there nothing
 */
export function hashOfFiles(folder, paths) {
  const hash = createHash('sha256')
  for (const path of paths) addToHash(hash, folder, path)
  return hash.digest('hex')
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} folder
 * @param {string} path
 */
function addToHash(hash, folder, path) {
  const file = join(folder, path)
  if (!existsSync(file)) return
  if (statSync(file).isDirectory()) {
    for (const name of readdirSync(file).sort()) addToHash(hash, folder, `${path}/${name}`)
    return
  }
  const content = readFileSync(file)
  hash.update(`${path}\0${content.length}\0`).update(content)
}
