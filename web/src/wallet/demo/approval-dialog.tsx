import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { type OpenRequest } from './approval.ts'

/** The Demo Wallet's own window: the request to sign, and the choice. Closing it rejects. */
export function ApprovalDialog({ open, request }: { open: boolean; request: OpenRequest }) {
  const { title, lines, message, answer } = request
  return (
    <Modal open={open} title={`Demo Wallet: ${title}`} onClose={() => answer(false)}>
      <p className="mt-2 text-small text-dim">This is your wallet asking, not the market. It holds test SOL only.</p>
      {message && <pre className="mt-4 rounded-field bg-well p-4 font-sans text-small whitespace-pre-wrap wrap-anywhere">{message}</pre>}
      {lines.length > 0 && (
        <dl className="figures mt-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 rounded-field bg-well p-4 text-small">
          {lines.map(([label, value], index) => (
            <div key={index} className="contents">
              <dt className="text-dim">{label}</dt>
              <dd className="font-semibold wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className="mt-6 grid grid-cols-2 gap-3">
        <Button onClick={() => answer(false)}>Reject</Button>
        <Button kind="primary" onClick={() => answer(true)}>
          Approve
        </Button>
      </div>
    </Modal>
  )
}
