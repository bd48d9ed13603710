/**
 * Waits.
 *
 * @throws the signal's reason as soon as it is aborted
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      stop = () => reject(signal?.reason as Error)
      signal?.addEventListener('abort', stop)
      timer = setTimeout(resolve, milliseconds)
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
