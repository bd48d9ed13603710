import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

/** What Linux keeps in memory. */
const MEMORY = '/dev/shm'
/** Several times what the databases of all tests take at once. */
const LEAST_BYTES = 8 * 1024 ** 3

/**
 * Has this process and its children keep temporary files in memory, until it exits, where there is enough and programs can be run from it. A
 * database is some 300 files: on the file system of some machines, making one and deleting another takes 20 times as long.
 */
export function keepTempFilesInMemory() {
  if (!isRoomy()) return
  const folder = mkdtempSync(`${MEMORY}/juicebar-`)
  // As a folder for temporary files is: some programs run as another user.
  chmodSync(folder, 0o1777)
  process.env['TMPDIR'] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

function isRoomy() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const [, options = ''] = new RegExp(`^\\S+ ${MEMORY} \\S+ (\\S+)`, 'm').exec(readFileSync('/proc/mounts', 'utf8')) ?? []
    return Math.min(bavail * bsize, freemem()) >= LEAST_BYTES && !options.split(',').includes('noexec')
  } catch {
    // Another system than Linux.
    return false
  }
}
