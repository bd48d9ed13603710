import { randomBytes } from 'node:crypto'

/** 144 bits, 24 characters. */
const TOKEN_BYTES = 18
const token = /^[\w-]{24}$/

/** A new secret name for an address: whoever has the address may use it, and nobody guesses it. */
export function newUrlToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** Whether a text may be such a name. */
export function isUrlToken(text: string): boolean {
  return token.test(text)
}
