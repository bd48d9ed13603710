/** A whole number from an endpoint, as it is. The types of RPC answers are claims: throws where it is none, so that it can't pass for one. */
export function whole(value: bigint): bigint {
  if (typeof value !== 'bigint' || value < 0n) throw new Error('the endpoint gave no whole number')
  return value
}
