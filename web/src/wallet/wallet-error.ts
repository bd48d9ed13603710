/** Why a wallet did not do what it was asked. */
export type WalletErrorKind =
  | 'rejected'
  | 'unauthorized'
  | 'disconnected'
  | 'busy'
  | 'invalid'
  | 'internal'
  | 'silent'
  | 'missing'
  | 'unknown'

const kindByCode = new Map<number, WalletErrorKind>([
  [4001, 'rejected'],
  [4100, 'unauthorized'],
  [4900, 'disconnected'],
  [-32002, 'busy'],
  [-32003, 'invalid'],
  [-32603, 'internal'],
])

const sentences: Record<Exclude<WalletErrorKind, 'unknown'>, string> = {
  rejected: 'You declined the request in your wallet',
  unauthorized: 'Your wallet does not let this page use that account. Connect it again',
  disconnected: 'Your wallet has lost its connection. Open it and try again',
  busy: 'Your wallet already shows a request. Open it and answer that one first',
  invalid: 'Your wallet says that this transaction is invalid',
  internal: 'Your wallet reports an internal error. Reload the page or restart the wallet, then try again',
  silent: 'Your wallet did not answer. Open it and try again',
  missing: 'Connect your wallet first',
}

/** A wallet's refusal. `message` is a sentence for people, without its full stop; what the wallet itself said is in `cause`. */
export class WalletError extends Error {
  readonly kind: WalletErrorKind

  constructor(kind: WalletErrorKind, options: { cause?: unknown } = {}) {
    super(kind === 'unknown' ? unknownSentence(options.cause) : sentences[kind], options)
    this.name = 'WalletError'
    this.kind = kind
  }
}

/** Classifies what a wallet threw by its error code (EIP-1193 and JSON-RPC numbers, as Phantom documents them). */
export function toWalletError(thrown: unknown): WalletError {
  if (thrown instanceof WalletError) return thrown
  return new WalletError(kindOf(thrown), { cause: thrown })
}

function kindOf(thrown: unknown): WalletErrorKind {
  for (let error = thrown, depth = 0; typeof error === 'object' && error !== null && depth < 3; depth++) {
    const kind = 'code' in error && typeof error.code === 'number' ? kindByCode.get(error.code) : undefined
    if (kind) return kind
    error = 'cause' in error ? error.cause : undefined
  }
  return 'unknown'
}

function unknownSentence(cause: unknown): string {
  const said = cause instanceof Error && cause.message ? cause.message : 'no reason given'
  return `An unexpected error occurred: ${said.replace(/\.+$/, '')}`
}

/**
 * Waits for a wallet's answer.
 *
 * @throws WalletError if the wallet refuses, or does not answer in time
 */
export async function withTimeout<Answer>(request: Promise<Answer>, milliseconds: number): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new WalletError('silent')), milliseconds)
  })
  try {
    return await Promise.race([request, silence])
  } catch (thrown) {
    throw toWalletError(thrown)
  } finally {
    clearTimeout(timer)
  }
}
