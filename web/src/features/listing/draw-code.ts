import { encode } from 'uqr'

/** The width of the light border around a code, in modules, so that cameras find its corners (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** One path over all dark modules, a rectangle for each run in a row. */
export function drawCode(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE })
  const runs = data.flatMap((row, y) => {
    const found: string[] = []
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue
      const start = x
      while (row[x + 1]) x++
      found.push(`M${start} ${y}h${x - start + 1}v1H${start}z`)
    }
    return found
  })
  return { path: runs.join(''), size }
}
