import { createHash } from 'node:crypto'

/** Where a decision stands in a run: the same path under the same seed is always decided alike, whatever else happens meanwhile. */
export type Path = readonly (string | number)[]

/** A number from 0 up to 1 that looks random and depends on seed and path alone. */
function chance(seed: number, path: Path): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...path]))
    .digest()
  return digest.readUIntBE(0, 6) / 2 ** 48
}

/** Whether something of this probability happens here. */
export function happens(seed: number, path: Path, probability: number): boolean {
  return chance(seed, path) < probability
}

/** A number between two bounds, the upper one left out. */
export function between(seed: number, path: Path, low: number, high: number): number {
  return low + chance(seed, path) * (high - low)
}

/** A whole number between two bounds, both taken in. */
export function wholeBetween(seed: number, path: Path, low: number, high: number): number {
  return Math.floor(between(seed, path, low, high + 1))
}

/** One of the items; undefined where there is none. */
export function pickOne<T>(seed: number, path: Path, items: readonly T[]): T | undefined {
  return items[Math.floor(chance(seed, path) * items.length)]
}

/** One of the named things, as often as its share says; undefined for the rest where the shares do not add up to 1. */
export function pickShare<Name extends string>(
  seed: number,
  path: Path,
  shares: Readonly<Partial<Record<Name, number>>>,
): Name | undefined {
  let left = chance(seed, path)
  for (const name in shares) {
    left -= shares[name] ?? 0
    if (left < 0) return name
  }
  return undefined
}
