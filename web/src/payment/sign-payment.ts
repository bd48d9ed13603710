import { type PublicConfig } from '@juicebar/contract/schemas'

import { chainOf, signAndSend, signsWithoutSending, signTransaction } from '../wallet/signatures.ts'
import { WalletError, type WalletErrorKind, withTimeout } from '../wallet/wallet-error.ts'
import { type Connection } from '../wallet/wallet-store.ts'

/** The signed bytes to submit, or the 64 bytes of the signature under which the wallet itself has sent them. */
export type SignedOrSent = { signed: Uint8Array } | { sentAs: Uint8Array }

interface PaymentRequest {
  transaction: Uint8Array
  network: PublicConfig['network']
  /** How long the wallet may take, in milliseconds. */
  timeout: number
  /** What to tell the person if it is unknown whether the wallet has sent it. */
  ifUnsure: string
}

/** If a wallet signs and sends in one step, these errors prove that it sent nothing. */
const beforeSending = new Set<WalletErrorKind>(['rejected', 'unauthorized', 'busy'])

/**
 * Has the wallet sign a payment, and send it too if it can only do both.
 *
 * @throws PaymentFailed
 */
export async function signPayment(connection: Connection, request: PaymentRequest): Promise<SignedOrSent> {
  const { wallet, account } = connection
  if (signsWithoutSending(wallet)) return { signed: await signWithoutSending(connection, request) }
  const { transaction, network, timeout, ifUnsure } = request
  try {
    return { sentAs: await withTimeout(signAndSend(wallet, account, transaction, chainOf(network)), timeout) }
  } catch (error) {
    const nothingSigned = error instanceof WalletError && beforeSending.has(error.kind)
    throw paymentFailed(error, nothingSigned ? 'No SOL moved.' : ifUnsure, nothingSigned)
  }
}

/**
 * Has a wallet that can do so sign a payment and send nothing.
 *
 * @returns the signed transaction bytes
 * @throws PaymentFailed: nothing was signed
 */
export async function signWithoutSending(
  { wallet, account }: Connection,
  { transaction, network, timeout }: Omit<PaymentRequest, 'ifUnsure'>,
): Promise<Uint8Array> {
  try {
    return await withTimeout(signTransaction(wallet, account, transaction, chainOf(network)), timeout)
  } catch (error) {
    throw paymentFailed(error, 'No SOL moved.', true)
  }
}

function paymentFailed(error: unknown, whatIsCertain: string, nothingSigned: boolean): PaymentFailed {
  const said = error instanceof Error ? error.message : String(error)
  return new PaymentFailed(`${said}. ${whatIsCertain}`, { nothingSigned, cause: error })
}

/** A payment that was not made, or may not have been. `message` says what happened, whether SOL moved, and what to do. */
export class PaymentFailed extends Error {
  /** True if nothing was signed, so that no SOL can move. */
  readonly nothingSigned: boolean

  constructor(message: string, { nothingSigned, cause }: { nothingSigned: boolean; cause: unknown }) {
    super(message, { cause })
    this.name = 'PaymentFailed'
    this.nothingSigned = nothingSigned
  }
}

/** What a wallet says of its connection or its owner is no word about the transaction. */
const othersThanFailures = new Set<WalletErrorKind>(['rejected', 'unauthorized', 'disconnected', 'busy', 'silent', 'missing'])

/** True if a wallet failed to sign a payment, perhaps because somebody else signs it, too. */
export function failsOnTwoSigners(error: unknown): boolean {
  return error instanceof PaymentFailed && error.cause instanceof WalletError && !othersThanFailures.has(error.cause.kind)
}

/** The local storage key of the names of wallets, as JSON. */
const KEY = 'walletsThatSignAlone'

/** True if a wallet has failed before to sign a payment that the market signs, too. */
export function signsAlone(name: string): boolean {
  return readNames().includes(name)
}

/** Remembers that a wallet fails to sign a payment that the market signs, too, but signs one that it alone signs. */
export function rememberLoneSigner(name: string): void {
  const names = readNames()
  if (!names.includes(name)) localStorage.setItem(KEY, JSON.stringify([...names, name]))
}

function readNames(): string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}
