import { basename } from 'node:path'

/**
 * How to type a command of this product: `npm run studio -- case list` in a checkout, `node start.mjs studio case list` in an archive,
 * whose machine may have no npm.
 *
 * @param words what follows the command, if anything
 * @param started the file that this process was started from
 */
export function typedCommand(command: 'audit' | 'studio', words = '', started = process.argv[1] ?? ''): string {
  if (basename(started) === 'start.mjs') return `node start.mjs ${command} ${words}`.trimEnd()
  return `npm run ${command}${words && ` -- ${words}`}`
}
