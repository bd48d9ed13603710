import { isProxyRange } from './setting-formats.ts'
import { type Reader } from './setting-reader.ts'

/** The proxies whose forwarded addresses are trusted. */
export function readTrustProxy(name: string, read: Reader): string[] | false {
  const allowed =
    '"off" or a list of addresses and ranges like 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas ' +
    '(a number of hops is not supported: it would trust whoever reaches this server directly)'
  const text = read.matching(name, (value) => value === 'off' || value.split(',').every(isProxyRange), allowed, 'off')
  return text === 'off' ? false : text.split(',')
}
