import { createHash } from 'node:crypto'

/** Names a decision of a run. The same seed and path always give the same decision, whatever else happens in the run. */
export type Path = readonly (string | number)[]

/** A number in [0, 1) that looks random and depends on seed and path alone. */
function random(seed: number, path: Path): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...path]))
    .digest()
  return digest.readUIntBE(0, 6) / 2 ** 48
}

/** True with this probability. */
export function happens(seed: number, path: Path, probability: number): boolean {
  return random(seed, path) < probability
}

/** A number in [low, high). */
export function between(seed: number, path: Path, low: number, high: number): number {
  return low + random(seed, path) * (high - low)
}

/** A whole number in [low, high]. */
export function wholeBetween(seed: number, path: Path, low: number, high: number): number {
  return Math.floor(between(seed, path, low, high + 1))
}

/** One of the items; undefined if there are none. */
export function pickOne<T>(seed: number, path: Path, items: readonly T[]): T | undefined {
  return items[Math.floor(random(seed, path) * items.length)]
}

/** One of the names, each with its probability; undefined with the remaining probability if they do not add up to 1. */
export function pickWeighted<Name extends string>(
  seed: number,
  path: Path,
  weights: Readonly<Partial<Record<Name, number>>>,
): Name | undefined {
  let left = random(seed, path)
  for (const name in weights) {
    left -= weights[name] ?? 0
    if (left < 0) return name
  }
  return undefined
}
