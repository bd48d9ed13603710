import { create } from 'zustand'

/** What the Demo Wallet wants its owner to approve. */
export interface Request {
  title: string
  /** What is signed, line by line: a label and its value. */
  lines: readonly (readonly [label: string, value: string])[]
  /** The text that is signed, if it is a text. */
  message: string | undefined
}

export interface OpenRequest extends Request {
  answer: (approved: boolean) => void
}

/** Resolves when the owner approves; rejects as wallets do if they do not, or if another request is still open. */
export type AskOwner = (request: Request) => Promise<void>

/** The request on the screen. */
export const useApproval = create<{ request: OpenRequest | undefined }>()(() => ({ request: undefined }))

/** Asks the owner for one approval at a time. */
export const askOwner: AskOwner = async (request) => {
  if (useApproval.getState().request) throw new Refusal('pending', 'A request is already open.')
  const approved = await new Promise<boolean>((answer) => useApproval.setState({ request: { ...request, answer } }))
  useApproval.setState({ request: undefined })
  if (!approved) throw new Refusal('rejected', 'The owner rejected the request.')
}

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
