import { describe, expect, it } from 'vitest'

import { isPublicAddress } from '../../../src/outgoing/address.ts'
import { createPoster, type Resolve } from '../../../src/outgoing/post-message.ts'
import { requireWebhookUrl } from '../../../src/studio/webhooks/webhook.ts'
import { startReceiver } from './receiver.ts'

const unaborted = new AbortController().signal
const message = (url: string) => ({ url, headers: { 'webhook-id': 'one' }, body: '{}' })

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.255.0.3',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '3fff::1',
    '4000::1',
    'localhost',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:1.1.1.1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('the URL of a webhook', () => {
  const require = (url: string, allowPrivate = false) => requireWebhookUrl(url, { allowPrivate })

  it.each([
    'http://127.0.0.1/',
    'http://127.0.0.1./',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://0251.0376.0251.0376/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0xa9.254.0xa9fe/',
    'http://0/',
    'http://①②⑦.0.0.1/',
    'https://10.0.0.1:8443/hook',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[fe80::1]/',
  ])('may not be %s, unless private addresses are allowed', (url) => {
    expect(() => require(url)).toThrow(expect.objectContaining({ code: 'WEBHOOK_URL_INVALID' }))
    expect(() => require(url, true)).not.toThrow()
  })

  it.each([
    '',
    'nothing',
    '/hook',
    'ftp://example.com/',
    'file:///etc/passwd',
    'http://user:secret@example.com/',
    'http://',
    'javascript:1',
  ])('may never be %j', (url) => {
    expect(() => require(url, true)).toThrow(expect.objectContaining({ code: 'WEBHOOK_URL_INVALID' }))
  })

  it.each(['https://example.com/hook?a=1', 'http://localhost:3000/', 'https://1.1.1.1/', 'https://[2606:4700::1]/'])('may be %s', (url) => {
    expect(() => require(url)).not.toThrow()
  })
})

describe('a message', () => {
  const resolvingTo =
    (...answers: string[][]): Resolve =>
    (_, __, done) =>
      done(
        null,
        (answers.length > 1 ? answers.shift() : answers[0])!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )

  it.each([
    ['a private address', ['127.0.0.1']],
    ['a public address and a private one', ['93.184.216.34', '127.0.0.1']],
    ['a private address written as IPv6', ['::ffff:127.0.0.1']],
    ['no address', []],
  ])('is not sent to a name that resolves to %s', async (_, addresses) => {
    const receiver = await startReceiver()
    const poster = createPoster({ allowPrivate: false, resolve: resolvingTo(addresses) })
    const outcome = await poster.post(message(`http://example.com:${receiver.port}/`), unaborted)
    expect(outcome).toMatchObject({
      status: null,
      error: addresses.length > 0 ? 'its address is not a public one' : 'its name has no address',
    })
    expect(receiver.received).toEqual([])
  })

  it('is not sent to a name of this machine, as the system resolves it', async () => {
    const receiver = await startReceiver()
    const outcome = await createPoster({ allowPrivate: false }).post(message(`http://localhost:${receiver.port}/`), unaborted)
    expect(outcome).toMatchObject({ status: null, error: 'its address is not a public one' })
    expect(receiver.received).toEqual([])
  })

  it('is not sent to a private address that was allowed when its webhook was made', async () => {
    const receiver = await startReceiver()
    const outcome = await createPoster({ allowPrivate: false }).post(message(receiver.url), unaborted)
    expect(outcome).toMatchObject({ status: null, error: 'its address is not a public one' })
    expect(receiver.received).toEqual([])
  })

  it('is sent to the address that was checked: a second answer of its DNS server is never asked for', async () => {
    const receiver = await startReceiver()
    let asked = 0
    const rebinding = resolvingTo(['192.88.98.1'], ['127.0.0.1'])
    const resolve: Resolve = (...question) => {
      asked++
      rebinding(...question)
    }
    const poster = createPoster({ allowPrivate: false, attemptMillis: 300, resolve })
    expect(await poster.post(message(`http://example.com:${receiver.port}/`), unaborted)).toMatchObject({ status: null })
    expect([asked, receiver.received]).toEqual([1, []])
    const again = await poster.post(message(`http://example.com:${receiver.port}/`), unaborted)
    expect(again).toMatchObject({ error: 'its address is not a public one' })
    expect(receiver.received).toEqual([])
  })

  it('does not follow a redirect', async () => {
    const other = await startReceiver()
    const receiver = await startReceiver((response) => response.writeHead(307, { location: other.url }).end())
    const outcome = await createPoster({ allowPrivate: true }).post(message(receiver.url), unaborted)
    expect(outcome).toMatchObject({ status: 307, error: 'redirects are not followed' })
    expect(other.received).toEqual([])
  })

  it('that is stopped is no attempt', async () => {
    const receiver = await startReceiver(() => stopping.abort())
    const stopping = new AbortController()
    expect(await createPoster({ allowPrivate: true }).post(message(receiver.url), stopping.signal)).toBeUndefined()
  })
})
