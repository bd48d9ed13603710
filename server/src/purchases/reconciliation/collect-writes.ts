/** How long finished items wait for the rest of their round. */
const PATIENCE_MILLIS = 200

interface Batch<T> {
  items: T[]
  written: Promise<void>
  write(): void
}

/**
 * Collects what many tasks have to write, and writes it in one statement once all of them are done. Slow tasks do not delay finished items
 * for long.
 *
 * @param tasks how many items to expect.
 * @returns a function that adds an item and resolves once it is written.
 */
export function collectWrites<T>(tasks: number, write: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let left = tasks
  let batch: Batch<T> | undefined

  const open = (): Batch<T> => {
    const items: T[] = []
    let close = () => {}
    const closed = new Promise<void>((resolve) => (close = resolve))
    const timer = setTimeout(close, PATIENCE_MILLIS)
    const written = closed.then(() => {
      clearTimeout(timer)
      batch = undefined
      return write(items)
    })
    return { items, written, write: close }
  }

  return (item) => {
    batch ??= open()
    const { items, written, write: writeNow } = batch
    items.push(item)
    left -= 1
    if (left === 0) writeNow()
    return written
  }
}
