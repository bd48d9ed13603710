/**
 * Whether this product and the tools that build it run on a version of Node.js like `20.19.0`: 20.19 is the first they
 * take, and in between Vite leaves out the 21 line and the first releases of the 22 line.
 *
 * @param {string} version
 */
function isSupportedNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major === 20) return minor >= 19
  if (major === 22) return minor >= 12
  return major > 22
}

/** Ends the process with a sentence where the running Node.js is too old. */
export function requireSupportedNode() {
  if (isSupportedNode(process.versions.node)) return
  console.error(
    `Juicebar needs Node.js 20.19 or newer (of the 22 line, 22.12 or newer), but this is ${process.versions.node}. ` +
      'Get a current one from https://nodejs.org and try again.',
  )
  process.exit(1)
}
