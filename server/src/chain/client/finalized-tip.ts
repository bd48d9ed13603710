/** How far the finalized chain has come, as one or more endpoints told it. */
export interface Tip {
  slot: bigint
  height: bigint
}

/** A tip as a measure of what endpoints tell later. */
export interface KnownTip extends Tip {
  /** When it was read, in monotonic milliseconds. */
  at: number
  /** Two endpoints agreed on it. */
  confirmed: boolean
}

/** Several times what any cluster reaches: a slot takes 214 ms on mainnet, and 50 ms in tests. */
const MOST_SLOTS_PER_SECOND = 50
/** How far an honest endpoint may lag or be ahead: about 18 minutes on mainnet. */
const SLACK = 5_000n

/** Whether an endpoint can honestly tell this slot, or this height, at this time. */
export function isPlausible(known: KnownTip, number: 'slot' | 'height', told: bigint, at: number): boolean {
  const passed = BigInt(Math.ceil((Math.max(0, at - known.at) / 1000) * MOST_SLOTS_PER_SECOND))
  return told >= known[number] - SLACK && told <= known[number] + SLACK + passed
}

/**
 * The tip to measure by after the endpoints were asked again. Two that agree are believed, the second highest of them, so that none alone
 * raises it. Of endpoints that disagree, none is believed beyond what was known, or beyond what the other one confirms. A single endpoint
 * leaves nothing to compare.
 *
 * @param told of each endpoint that answered
 */
export function nextTip(known: KnownTip | undefined, told: readonly Tip[], at: number): KnownTip | undefined {
  const agreed = told.filter((one) => told.some((other) => other !== one && isNear(one, other))).toSorted((a, b) => Number(b.slot - a.slot))
  const second = agreed[1]
  if (second) return { ...second, at, confirmed: true }
  const stands = known && (known.confirmed || told.length === 1) && told.some((tip) => isTipPlausible(known, tip, at))
  if (stands || told.length === 0) return known
  return { slot: least(told.map(({ slot }) => slot)), height: least(told.map(({ height }) => height)), at, confirmed: false }
}

function isTipPlausible(known: KnownTip, { slot, height }: Tip, at: number): boolean {
  return isPlausible(known, 'slot', slot, at) && isPlausible(known, 'height', height, at)
}

function isNear(one: Tip, other: Tip): boolean {
  return isTipPlausible({ ...one, at: 0, confirmed: false }, other, 0)
}

function least(numbers: readonly bigint[]): bigint {
  return numbers.reduce((lowest, number) => (number < lowest ? number : lowest))
}
