/** Adds one to a count. */
export function tally(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** All counts together. */
export function total(counts: Iterable<ReadonlyMap<string, number>>): Map<string, number> {
  const sums = new Map<string, number>()
  for (const each of counts) for (const [name, count] of each) sums.set(name, (sums.get(name) ?? 0) + count)
  return sums
}

/** What was added since some counts were taken. */
export function since(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)]))
}
