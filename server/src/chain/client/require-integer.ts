/**
 * A non-negative integer of an RPC reply. Kit's types of replies are not checked at run time, and anything else must not pass for one.
 *
 * @throws Error if it is not a non-negative bigint.
 */
export function requireInteger(value: bigint): bigint {
  if (typeof value !== 'bigint' || value < 0n) throw new Error('the endpoint did not return an integer')
  return value
}
