import { type PublicConfig } from '@juicebar/contract/schemas'
import { Suspense } from 'react'

import { confirming, running } from '../features/purchase/purchase-store.ts'
import { lazyPart } from '../ui/lazy-component.ts'
import { Overlay } from '../feedback/overlay.tsx'
import { processing } from '../feedback/use-processing.ts'
import { useStore } from '../ui/store.ts'
import { useLast } from '../ui/use-retained.ts'
import { approvalRequest } from '../wallet/demo/approval.ts'
import { mobileProblem } from '../wallet/mobile/mobile-problem.ts'

const BuyDialog = lazyPart(async () => (await import('../features/purchase/buy-dialog.tsx')).BuyDialog)
const PurchaseProgress = lazyPart(async () => (await import('../features/purchase/purchase-progress.tsx')).PurchaseProgress)
const DemoApprovalDialog = lazyPart(async () => (await import('../wallet/demo/approval-dialog.tsx')).DemoApprovalDialog)
const MobileProblemDialog = lazyPart(async () => (await import('../wallet/mobile/mobile-problem-dialog.tsx')).MobileProblemDialog)

/** Everything that stands above the page. Each part is downloaded when it is first needed. */
export function Dialogs({ config }: { config: PublicConfig | undefined }) {
  const buying = useLast(useStore(confirming))
  const paying = useStore(running)
  const approving = useLast(useStore(approvalRequest))
  const mobile = useLast(useStore(mobileProblem))
  const label = useStore(processing).at(-1)
  return (
    <>
      {label && <Overlay label={label} />}
      <Suspense>
        {paying && <PurchaseProgress />}
        {buying && config && <BuyDialog network={config.network} />}
        {approving && <DemoApprovalDialog />}
        {mobile && <MobileProblemDialog />}
      </Suspense>
    </>
  )
}
