/**
 * A non-negative integer of an RPC reply. Kit does not check the types of replies at run time, so anything else must be rejected here.
 *
 * @throws Error if it is not a non-negative bigint.
 */
export function requireInteger(value: bigint): bigint {
  if (typeof value !== 'bigint' || value < 0n) throw new Error('the endpoint did not return an integer')
  return value
}
