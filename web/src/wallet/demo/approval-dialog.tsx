import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { useStore } from '../../ui/store.ts'
import { useLast } from '../../ui/use-retained.ts'
import { approvalRequest } from './approval.ts'

/** The Demo Wallet's own window: what it is asked to sign, and the choice. Closing it is a refusal. */
export function DemoApprovalDialog() {
  const pending = useStore(approvalRequest)
  const request = useLast(pending)
  return (
    <Modal open={pending !== undefined} title={request ? `Demo Wallet: ${request.title}` : ''} onClose={() => pending?.answer(false)}>
      <p className="mt-2 text-small text-dim">This is your wallet asking, not the market. It holds test SOL only.</p>
      {request?.message && (
        <pre className="mt-4 rounded-field bg-well p-4 font-sans text-small whitespace-pre-wrap wrap-anywhere">{request.message}</pre>
      )}
      {request && request.lines.length > 0 && (
        <dl className="figures mt-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 rounded-field bg-well p-4 text-small">
          {request.lines.map(([label, value]) => (
            <div key={label + value} className="contents">
              <dt className="text-dim">{label}</dt>
              <dd className="font-semibold wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className="mt-6 grid grid-cols-2 gap-3">
        <Button onClick={() => pending?.answer(false)}>Reject</Button>
        <Button kind="primary" onClick={() => pending?.answer(true)}>
          Approve
        </Button>
      </div>
    </Modal>
  )
}
