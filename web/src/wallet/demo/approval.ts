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

/** A refusal in the form that wallets use (EIP-1193). */
class UserRejected extends Error {
  readonly code = 4001
}
/** Another request is still open. */
class RequestPending extends Error {
  readonly code = -32002
}

/**
 * Asks the owner for one approval at a time.
 *
 * @param show puts a request on the screen; undefined takes it away
 */
export function createAskOwner(show: (request: OpenRequest | undefined) => void): AskOwner {
  let pending = false
  return async (request) => {
    if (pending) throw new RequestPending('A request is already open')
    pending = true
    const approved = await new Promise<boolean>((answer) => show({ ...request, answer }))
    pending = false
    show(undefined)
    if (!approved) throw new UserRejected('User rejected the request.')
  }
}
