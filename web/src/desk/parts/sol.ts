import { LAMPORTS_PER_SOL } from '@juicebar/contract/money'

const wholeNumber = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const SOL_DIGITS = 9

/** Lamports as SOL, exactly and with thousands set apart: 1234500000000n is "1,234.5". */
export function exactSol(lamports: bigint): string {
  const fraction = (lamports % LAMPORTS_PER_SOL).toString().padStart(SOL_DIGITS, '0').replace(/0+$/, '')
  const whole = wholeNumber.format(lamports / LAMPORTS_PER_SOL)
  return fraction ? `${whole}.${fraction}` : whole
}

/** The same with at most three decimals, for a figure that is looked at: what is less than that is "<0.001". */
export function roughSol(lamports: bigint): string {
  const thousandth = LAMPORTS_PER_SOL / 1_000n
  if (lamports > 0n && lamports < thousandth) return '<0.001'
  return exactSol(lamports - (lamports % thousandth))
}
