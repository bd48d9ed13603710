import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { mobileMessages } from './request-local-network.ts'

interface MobileProblemDialogProps {
  open: boolean
  problem: string
  onClose: () => void
}

/** Says why no wallet on this phone could be reached. */
export function MobileProblemDialog({ open, problem, onClose }: MobileProblemDialogProps) {
  return (
    <Modal open={open} title={mobileMessages.notFoundTitle} onClose={onClose}>
      <p className="mt-3 text-dim">{problem}</p>
      <Button kind="primary" className="mt-6 w-full" onClick={onClose}>
        OK
      </Button>
    </Modal>
  )
}
