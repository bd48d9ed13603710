import { createStore } from '../../ui/store.ts'

/** What the Demo Wallet asks its owner to approve. */
export interface ApprovalRequest {
  title: string
  /** What is signed, line by line: a label and its value. */
  lines: readonly (readonly [label: string, value: string])[]
  /** The very text that is signed, where it is a text. */
  message: string | undefined
  answer: (approved: boolean) => void
}

export const approvalRequest = createStore<ApprovalRequest | undefined>(undefined)

/** A refusal in the form in which wallets give it (EIP-1193). */
class UserRejected extends Error {
  readonly code = 4001
}
/** Another request is still open. */
class RequestPending extends Error {
  readonly code = -32002
}

/** Puts a request before the owner. Returns when it is approved; throws as a wallet does when it is not. */
export async function askApproval(request: Omit<ApprovalRequest, 'answer'>): Promise<void> {
  if (approvalRequest.get()) throw new RequestPending('A request is already open')
  const approved = await new Promise<boolean>((resolve) => approvalRequest.set({ ...request, answer: resolve }))
  approvalRequest.set(undefined)
  if (!approved) throw new UserRejected('User rejected the request.')
}
