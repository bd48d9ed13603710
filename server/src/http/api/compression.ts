import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const refusal = /^\s*q=0(?:\.0*)?\s*$/i

/** Whether the client takes gzip (RFC 9110, section 12.5.3). Brotli would save another 2 % of a page of listings, for as much CPU. */
export function takesGzip(acceptEncoding: string | string[] | undefined): boolean {
  return String(acceptEncoding ?? '')
    .split(',')
    .map((coding) => coding.split(';'))
    .some(([name = '', quality = '']) => name.trim().toLowerCase() === 'gzip' && !refusal.test(quality))
}

/**
 * Compresses a reply, on another thread. Only for replies that are the same for everybody: where a secret stands beside text that
 * somebody else chose, the compressed length gives the secret away (BREACH).
 */
export const compress: (text: string) => Promise<Buffer> = promisify(gzip)
