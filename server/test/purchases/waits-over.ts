import { onTestFinished, vi } from 'vitest'
import { clock } from '../../src/purchases/purchase/wait-for-endpoints.ts'

const HOUR = 3_600_000

/** For the rest of a test, whatever waits for an endpoint has waited long enough. */
export function endWaits(): void {
  let now = clock.now()
  const jumping = vi.spyOn(clock, 'now').mockImplementation(() => (now += HOUR))
  onTestFinished(() => jumping.mockRestore())
}
