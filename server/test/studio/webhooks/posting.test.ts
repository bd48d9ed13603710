import { WEBHOOK_ATTEMPTS } from '@juicebar/contract/limits'
import { describe, expect, it } from 'vitest'
import { createPoster, type Resolve } from '../../../src/outgoing/post-message.ts'
import { afterFailure, isDelivered, RETRY_SECONDS, requireWebhookUrl } from '../../../src/studio/webhooks/webhook.ts'
import { startReceiver } from './receiver.ts'
import { isPublicAddress } from '../../../src/outgoing/address.ts'

const unaborted = new AbortController().signal
const message = (url: string) => ({ url, headers: { 'webhook-id': 'one' }, body: '{}' })

describe('an address', () => {
  const ofThisMachine = '127.0.0.1 127.255.0.3 0.0.0.0 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:0:127.0.0.1 localhost'
  const ofPrivateNetworks = '10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 fc00::1 fec0::1 ::ffff:a00:1'
  const ofTheLink = '169.254.169.254 fe80::1 fe80::1%eth0'
  const ofClouds = '100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254'
  const ofManyOrNobody = '198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 ff02::1 100::1 2001:db8::1 3fff::1 4000::1'
  const throughTranslation = '64:ff9b::7f00:1 64:ff9b:1::a00:1 2002:7f00:1:: 2001:0:4136:e378:8000:63bf:3fff:fdd2'
  const notPublic = [ofThisMachine, ofPrivateNetworks, ofTheLink, ofClouds, ofManyOrNobody, throughTranslation]

  it.each([...notPublic.flatMap((addresses) => addresses.split(' ')), ''])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:1.1.1.1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('the URL of a webhook', () => {
  const require = (url: string, allowPrivate = false) => requireWebhookUrl(url, { allowPrivate })

  const ofThisMachine = '127.0.0.1 127.0.0.1. 127.1 2130706433 0x7f000001 0177.0.0.1 017700000001 0 ①②⑦.0.0.1'
  const ofTheLink = '0251.0376.0251.0376 2852039166 0xa9fea9fe 0xa9.254.0xa9fe'
  const inVersion6 = '[::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:a9fe:a9fe] [64:ff9b::169.254.169.254] [fe80::1]'
  const urls = [ofThisMachine, ofTheLink, inVersion6].flatMap((hosts) => hosts.split(' ')).map((host) => `http://${host}/`)

  it.each([...urls, 'https://10.0.0.1:8443/hook', 'http://169.254.169.254/latest/meta-data/'])(
    'may not be %s, unless private addresses are allowed',
    (url) => {
      expect(() => require(url)).toThrow(expect.objectContaining({ code: 'WEBHOOK_URL_INVALID' }))
      expect(() => require(url, true)).not.toThrow()
    },
  )

  const neverUrls = 'nothing /hook ftp://example.com/ file:///etc/passwd http://user:secret@example.com/ http:// javascript:1'
  it.each(['', ...neverUrls.split(' ')])('may never be %j', (url) => {
    expect(() => require(url, true)).toThrow(expect.objectContaining({ code: 'WEBHOOK_URL_INVALID' }))
  })

  it.each(['https://example.com/hook?a=1', 'http://localhost:3000/', 'https://1.1.1.1/', 'https://[2606:4700::1]/'])('may be %s', (url) => {
    expect(() => require(url)).not.toThrow()
  })
})

describe('a message', () => {
  const resolvingTo = (...answers: string[][]): Resolve => {
    return (_, __, done) => {
      const addresses = (answers.length > 1 ? answers.shift() : answers[0])!
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }
  }

  it.each([
    ['a private address', ['127.0.0.1']],
    ['a public address and a private one', ['93.184.216.34', '127.0.0.1']],
    ['a private address written as IPv6', ['::ffff:127.0.0.1']],
    ['no address', []],
  ])('is not sent to a name that resolves to %s', async (_, addresses) => {
    const receiver = await startReceiver()
    const poster = createPoster({ allowPrivate: false, resolve: resolvingTo(addresses) })
    const outcome = await poster.post(message(`http://example.com:${receiver.port}/`), unaborted)
    const error = addresses.length > 0 ? 'its address is not a public one' : 'its name has no address'
    expect(outcome).toMatchObject({ status: null, error })
    expect(receiver.received).toEqual([])
  })

  it.each([
    ['a name of this machine, as the system resolves it', 'localhost'],
    ['a private address that was allowed when its webhook was made', '127.0.0.1'],
  ])('is not sent to %s', async (_, host) => {
    const receiver = await startReceiver()
    const outcome = await createPoster({ allowPrivate: false }).post(message(`http://${host}:${receiver.port}/hook`), unaborted)
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

describe('a message that was not taken', () => {
  it('is tried ten times in 75 hours, then its webhook is switched off', () => {
    const after = Array.from({ length: 10 }, (_, index) => afterFailure({ status: 500 }, index + 1))
    expect(after.slice(0, 9)).toEqual(
      [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((retrySeconds) => ({ retrySeconds })),
    )
    expect(after[9]).toEqual({ switchOff: 'failed' })
    expect(RETRY_SECONDS).toHaveLength(WEBHOOK_ATTEMPTS - 1)
    expect(Math.floor(RETRY_SECONDS.reduce((sum, seconds) => sum + seconds) / 3_600)).toBe(75)
  })

  it('is not tried again after 410', () => {
    expect(afterFailure({ status: 410 }, 1)).toEqual({ switchOff: 'gone' })
  })
})

it.each([
  ...[200, 204, 299].map((status) => [status, true] as const),
  ...[199, 300, 304, 410, 500, null].map((status) => [status, false] as const),
])('an answer with status %s delivers it: %s', (status, delivered) => {
  expect(isDelivered({ status })).toBe(delivered)
})
