const CONCURRENCY = 16

/** Does the work for every item, for at most 16 at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}
