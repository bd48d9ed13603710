/** A key for a call that must not be carried out twice: 128 random bits. `crypto.randomUUID` exists in secure contexts only. */
export function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
