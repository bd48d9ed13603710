import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'

import { base58 } from '@scure/base'

const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')
/** The order of the base point's group (RFC 8032, section 5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n
const TRIES = 500

/** The eight points of small order, and the two that are written with a sign they cannot have (RFC 8032, section 5.1). */
export const smallOrderKeys = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
].map((hex) => Buffer.from(hex, 'hex'))

/**
 * A signature that node:crypto takes for the key's own, made without its secret, which does not exist. Signing checks
 * S*B = R + k*A: with R = a*B and S = a it holds whenever k*A vanishes, which under a key of order n one text in n gives.
 * Undefined where node:crypto refuses the key altogether.
 */
export function forgeSignature(key: Buffer, text: string): string | undefined {
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI_HEAD, key]), format: 'der', type: 'spki' })
  for (let tries = 0; tries < TRIES; tries++) {
    const signature = pointAndScalar()
    if (verify(null, Buffer.from(text), publicKey, signature)) return base58.encode(signature)
  }
  return undefined
}

/** A random scalar a, as R = a*B and S = a: an ordinary key pair is just that. */
function pointAndScalar(): Buffer {
  const pair = generateKeyPairSync('ed25519')
  const seed = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const point = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const clamped = createHash('sha512').update(seed).digest().subarray(0, 32)
  clamped.writeUInt8(clamped.readUInt8(0) & 248, 0)
  clamped.writeUInt8((clamped.readUInt8(31) & 127) | 64, 31)
  return Buffer.concat([point, littleEndian(fromLittleEndian(clamped) % L)])
}

/** The same signature with S + L in place of S, which a careless check takes too. */
export function malleate(signature: string): string {
  const bytes = Buffer.from(base58.decode(signature))
  return base58.encode(Buffer.concat([bytes.subarray(0, 32), littleEndian(fromLittleEndian(bytes.subarray(32)) + L)]))
}

function fromLittleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
}
