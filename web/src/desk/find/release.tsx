import { useMay } from '../api/use-may.ts'
import { callSigned } from '../api/studio-call.ts'
import { Act } from '../parts/act.tsx'

/** Ends a hold that cannot be proved unpaid. */
export function Release({ purchaseId }: { purchaseId: string }) {
  const may = useMay('cases')
  if (!may) return null
  return (
    <Act
      label="Release"
      kind="primary"
      title="Release this hold"
      consequence={
        <>
          The listings are for sale again, and this buyer’s hold is over. It is refused as long as a payment may still land. A payment that
          turns up later is still delivered if the listings are free, and else becomes a case.
        </>
      }
      reason={{ label: 'Reason', hint: 'Shown to buyer and seller, and in the log.' }}
      doIt="Release"
      done="The hold is released."
      signed
      act={(reason) => callSigned('releasePurchase', { params: { id: purchaseId }, body: { reason } })}
    />
  )
}
