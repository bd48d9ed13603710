import { create } from 'zustand'

/** When the market on the screen was last known to be right, in milliseconds by this browser's clock; 0 before it is loaded. */
export const useMarketTime = create<{ asOf: number }>(() => ({ asOf: 0 }))

/** How many seconds ago the market on the screen was last right. */
export function noteMarketAge(seconds: number): void {
  useMarketTime.setState({ asOf: Date.now() - seconds * 1_000 })
}
