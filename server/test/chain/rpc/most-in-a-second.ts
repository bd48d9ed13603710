/** The most of these times, in milliseconds, that lie within one second. */
export function mostInASecond(times: readonly number[]): number {
  const inOrder = times.toSorted((one, other) => one - other)
  const within = inOrder.map((end, index) => index + 1 - inOrder.findIndex((time) => time > end - 1_000))
  return Math.max(0, ...within)
}
