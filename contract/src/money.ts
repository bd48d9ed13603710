import { MAX_PRICE_SOL, MIN_PRICE_SOL, PRICE_STEP_SOL } from './limits.ts'

declare const lamportsBrand: unique symbol

/** Whole lamports, the chain's smallest unit. Inside the product money is only ever this; SOL exists in the API and on the screen. */
export type Lamports = bigint & { readonly [lamportsBrand]: true }

export const LAMPORTS_PER_SOL = 1_000_000_000n
/** A price is a whole number of these (specification, section 9). */
export const PRICE_STEP_LAMPORTS = BigInt(nearestLamports(PRICE_STEP_SOL))
export const MIN_PRICE_LAMPORTS = BigInt(nearestLamports(MIN_PRICE_SOL))

const SOL_DIGITS = 9
const decimalNumber = /^(\d+)(?:\.(\d+))?$/

/** Brands a whole number of lamports; throws if it is negative. */
export function lamports(value: bigint): Lamports {
  if (value < 0n) throw new RangeError('lamports cannot be negative')
  return value as Lamports
}

/**
 * Reads a SOL number from JSON without float arithmetic: its shortest decimal form is what the sender wrote.
 * @returns undefined for anything that is not a whole number of lamports.
 */
export function solToLamports(sol: number): Lamports | undefined {
  const match = decimalNumber.exec(String(sol))
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  if (fraction.length > SOL_DIGITS) return undefined
  return lamports(BigInt(whole) * LAMPORTS_PER_SOL + BigInt(fraction.padEnd(SOL_DIGITS, '0')))
}

/** The nearest whole number of lamports to a number of SOL; half a lamport is rounded up. */
export function nearestLamports(sol: number): number {
  return Math.round(sol * Number(LAMPORTS_PER_SOL))
}

/** A sum or quotient of SOL rounded to the lamport: floating-point arithmetic is off by fractions of one. */
export function roundToLamport(sol: number): number {
  return nearestLamports(sol) / Number(LAMPORTS_PER_SOL)
}

/** Reads a price in SOL; undefined if it is out of bounds or off the step. */
export function parsePrice(sol: number): Lamports | undefined {
  const value = solToLamports(sol)
  if (value === undefined || sol < MIN_PRICE_SOL || sol > MAX_PRICE_SOL) return undefined
  return value % PRICE_STEP_LAMPORTS === 0n ? value : undefined
}

/** The decimal SOL text of some lamports, without trailing zeros: 1500000n is "0.0015". */
export function solText(value: bigint): string {
  const whole = value / LAMPORTS_PER_SOL
  const fraction = (value % LAMPORTS_PER_SOL).toString().padStart(SOL_DIGITS, '0').replace(/0+$/, '')
  return fraction ? `${whole}.${fraction}` : `${whole}`
}

/** Lamports as the SOL number that replies carry. */
export function lamportsToSol(value: bigint): number {
  return Number(solText(value))
}

/** The price of a part of a listing, in lamports: its share, rounded up, so that each part and the rest have a price. */
export function partPrice(listing: { amount: number; lamports: bigint }, part: number): bigint {
  const whole = BigInt(listing.amount)
  return (listing.lamports * BigInt(part) + whole - 1n) / whole
}

const BASIS_POINTS = 10_000n

/** The fee on a price at a rate in hundredths of a percent, both in lamports, rounded down. */
export function feeAt(price: bigint, basisPoints: number): bigint {
  return (price * BigInt(basisPoints)) / BASIS_POINTS
}
