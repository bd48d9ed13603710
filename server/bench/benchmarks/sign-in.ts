import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { parseSignature, parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { connectDatabase } from '../../src/database/connect.ts'
import { createLoginText, createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { requestNonce, verifySignature } from '../../src/sign-in/verify-signature.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { compare, type Line, runConcurrently, type Sample } from '../measure/comparison.ts'
import { JWT_SECRET } from '../servers/product-server.ts'

const WALLETS = 1_000
const CONCURRENCY = 16
const RAW_CHECKS = 3_000

interface Wallet {
  address: WalletAddress
  publicKey: KeyObject
  privateKey: KeyObject
}

/** All of the server's work for a sign-in, without HTTP and the wallet's signing, compared with raw signature checks on one core. */
export async function benchmarkSignIn(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const { database, close } = connectDatabase(await databases.empty(), () => undefined)
  const loginText = createLoginText('Juicebar', 'http://localhost:3000')
  const jwts = createSessionJwts(JWT_SECRET)
  const options = {
    loginText,
    jwts,
    onFirstSignIn: async () => undefined,
    checkSignIn: async () => undefined,
    readBlock: async () => undefined,
  }
  const wallets = Array.from({ length: WALLETS }, createWallet)

  const signIn = async (): Promise<Sample> => {
    const messages: string[] = []
    const asked = await runConcurrently(WALLETS, CONCURRENCY, async (turn) => {
      messages[turn] = (await requestNonce(database, loginText, at(wallets, turn).address)).message
    })
    const signatures = wallets.map((wallet, turn) => signText(wallet, messages[turn] ?? ''))
    const verified = await runConcurrently(WALLETS, CONCURRENCY, (turn) =>
      verifySignature(database, options, at(wallets, turn).address, at(signatures, turn)),
    )
    return { perSecond: 1 / (1 / asked.perSecond + 1 / verified.perSecond), millis: verified.millis }
  }
  const [first] = wallets
  if (!first) throw new Error('no wallets')
  const text = Buffer.from(loginText('nonce'))
  const signature = sign(null, text, first.privateKey)
  const key = createPublicKey(first.privateKey)
  const raw = () => runConcurrently(RAW_CHECKS, 1, async () => verify(null, text, key, signature))
  try {
    return [
      await compare(
        { name: 'whole sign-in', reference: 'raw ed25519 checks, one core', unit: '/s', goal: { least: 0.4 }, ours: signIn, theirs: raw },
        pairs,
      ),
    ]
  } finally {
    await close()
  }
}

function createWallet(): Wallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const address = parseWalletAddress(base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)))
  if (!address) throw new Error('a new key is not a wallet address')
  return { address, publicKey, privateKey }
}

function signText({ privateKey }: Wallet, text: string) {
  const signature = parseSignature(base58.encode(sign(null, Buffer.from(text), privateKey)))
  if (!signature) throw new Error('a signature has the wrong format')
  return signature
}

function at<T>(list: readonly T[], turn: number): T {
  const item = list[turn]
  if (item === undefined) throw new Error('the bench ran out of wallets')
  return item
}
