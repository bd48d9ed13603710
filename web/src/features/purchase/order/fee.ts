const BASIS_POINTS = 10_000n

/** What the buyer pays the studio on top of a price, in lamports: at most, since the studio's own lots are free of it. */
export function feeOf(lamports: bigint, basisPoints: number): bigint {
  return (lamports * BigInt(basisPoints)) / BASIS_POINTS
}
