/** Error codes that wallets use (EIP-1193, EIP-1474). */
const codes = { rejected: 4001, unauthorized: 4100, pending: -32002, invalid: -32602 } as const

/** Why the Demo Wallet refuses a request. */
export class Refusal extends Error {
  readonly code: number

  constructor(reason: keyof typeof codes, message: string) {
    super(message)
    this.name = 'Refusal'
    this.code = codes[reason]
  }
}
