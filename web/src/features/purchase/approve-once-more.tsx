import { Button } from '../../ui/button.tsx'
import { usePurchase } from './use-purchase.ts'

/** The choice of a buyer whose wallet took longer than the chain allows. */
export function ApproveOnceMore() {
  const { cancel, approveAgain } = usePurchase()
  return (
    <div className="mt-4 flex flex-wrap gap-3 *:flex-1">
      <Button onClick={cancel}>Cancel purchase</Button>
      <Button kind="primary" onClick={approveAgain}>
        Approve once more
      </Button>
    </div>
  )
}
