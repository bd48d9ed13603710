import { normalizeIP } from '@fastify/rate-limit'
import { describe, expect, it } from 'vitest'

describe('one caller', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:0:1::7', '2001:db8:0:1::'],
    ['2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1::'],
    ['2001:db8::', '2001:db8::'],
    ['2001:db8::1:2:3:4', '2001:db8::'],
    ['::1', '::'],
    ['fe80::1%eth0', 'fe80::'],
  ])('at %s counts as %s', (ip, network) => {
    expect(normalizeIP(ip)).toBe(network)
  })
})
