import { createDecipheriv, createECDH, createHmac, createPublicKey, type ECDH, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

export interface ReceivedPush {
  /** Which browser it is for. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A push service: a real HTTP server that notes every message. It takes them unless it is told otherwise, until the test is over. */
export async function startPushService() {
  const received: ReceivedPush[] = []
  let answer: number | 'never' = 201
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
      if (answer !== 'never') response.writeHead(answer, { location: '/elsewhere' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, port, received, answerWith: (status: number | 'never') => void (answer = status) }
}

/** A browser that has subscribed: what it tells the market, and how it reads what comes. */
export function createBrowser(origin: string) {
  const path = `/push/${randomBytes(8).toString('hex')}`
  const keys = createECDH('prime256v1')
  const publicKey = keys.generateKeys()
  const auth = randomBytes(16)
  return {
    path,
    subscription: { endpoint: `${origin}${path}`, p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    read: (body: Buffer): ReturnType<typeof JSON.parse> => JSON.parse(decrypt(body, { keys, auth }).toString()),
    plainLength: (body: Buffer) => decrypt(body, { keys, auth }).length,
  }
}

const hmac = (key: Buffer, ...parts: (Buffer | string)[]) => {
  const hash = createHmac('sha256', key)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** As RFC 8291 and RFC 8188 say, step by step: nothing of it is shared with the sender. */
function decrypt(body: Buffer, { keys, auth }: { keys: ECDH; auth: Buffer }): Buffer {
  const salt = body.subarray(0, 16)
  const recordSize = body.readUInt32BE(16)
  const senderKey = body.subarray(21, 21 + body.readUInt8(20))
  const record = body.subarray(21 + senderKey.length)
  if (record.length > recordSize) throw new Error('more than one record')
  const secret = hmac(hmac(auth, keys.computeSecret(senderKey)), 'WebPush: info\0', keys.getPublicKey(), senderKey, '\u0001')
  const pseudoRandom = hmac(salt, secret)
  const contentKey = hmac(pseudoRandom, 'Content-Encoding: aes128gcm\0\u0001').subarray(0, 16)
  const nonce = hmac(pseudoRandom, 'Content-Encoding: nonce\0\u0001').subarray(0, 12)
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce).setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2))
}

/** Verifies who sent a push as RFC 8292 says. @returns the claims, and the public key */
export function verifySender({ headers }: Pick<ReceivedPush, 'headers'>): { claims: ReturnType<typeof JSON.parse>; publicKey: string } {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const key = createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
  })
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isValid) throw new Error('not signed with this key')
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), publicKey }
}
