/** Release lines that get no security fixes any more (https://nodejs.org/en/about/previous-releases). */
const END_OF_LIFE = new Set([20, 23, 25])
const RECOMMENDED = 24

/**
 * Ends the process with a sentence if this version of Node.js is too old. 20.19 and 22.12 are the first versions that Vite runs on; it does
 * not run on 21.
 */
export function requireSupportedNode() {
  const { major, minor } = runningVersion()
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return
  console.error(
    `Juicebar needs Node.js 20.19, 22.12 or newer (best ${RECOMMENDED}), but this is ${process.versions.node}: https://nodejs.org`,
  )
  process.exit(1)
}

/** Prints a sentence if this version of Node.js is past its end of life. */
export function warnOfEndOfLife() {
  const { major } = runningVersion()
  if (!END_OF_LIFE.has(major)) return
  console.error(`Node.js ${major} gets no security fixes any more. Juicebar runs on it, but better on Node.js ${RECOMMENDED}.`)
}

function runningVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return { major, minor }
}
