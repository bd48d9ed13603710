/** The longest pause before it is scattered, in milliseconds. */
const LONGEST_MS = 6_500

/**
 * How long to wait before a server that did not answer is asked again: `first`, twice as long after each failure, and up to half as much
 * again at random, so that browsers spread. Never longer than 10 s.
 *
 * @param first in milliseconds
 * @returns milliseconds
 */
export function growingPause(failures: number, first: number, random = Math.random()): number {
  return Math.min(first * 2 ** failures, LONGEST_MS) * (1 + random / 2)
}
