import { SOL_DECIMALS_SHOWN } from '@juicebar/contract/limits'
import { LAMPORTS_PER_SOL } from '@juicebar/contract/money'

/** A balance in lamports as SOL with four decimals, truncated, so that nobody is shown SOL that they don't have. */
export function formatBalance(lamports: bigint): string {
  const scale = 10n ** BigInt(SOL_DECIMALS_SHOWN)
  const units = (lamports * scale) / LAMPORTS_PER_SOL
  return `${units / scale}.${(units % scale).toString().padStart(SOL_DECIMALS_SHOWN, '0')}`
}
