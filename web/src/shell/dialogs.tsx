import { type PublicConfig } from '@juicebar/contract/schemas'
import { Suspense } from 'react'

import { usePurchase } from '../features/purchase/use-purchase.ts'
import { Overlay } from '../feedback/overlay.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { useRetained } from '../ui/use-retained.ts'
import { platformOf } from '../wallet/platform.ts'

const BuyDialog = lazyComponent(async () => (await import('../features/purchase/buy-dialog.tsx')).BuyDialog)
const PurchaseProgress = lazyComponent(async () => (await import('../features/purchase/purchase-progress.tsx')).PurchaseProgress)
const DemoWallet = lazyComponent(async () => (await import('../wallet/demo/demo-wallet.tsx')).DemoWallet)
const MobileWallet = lazyComponent(async () => (await import('../wallet/mobile/mobile-wallet.tsx')).MobileWallet)

interface DialogsProps {
  config: PublicConfig | undefined
  /** What the Processing overlay says; undefined hides it. */
  processing: string | undefined
}

/** Everything that is shown above the rest. Each part is downloaded when it is first needed. */
export function Dialogs({ config, processing }: DialogsProps) {
  const { confirming, running } = usePurchase()
  const buying = useRetained(confirming)
  return (
    <>
      {processing && <Overlay label={processing} />}
      <Suspense>
        {running && <PurchaseProgress />}
        {buying && <BuyDialog />}
      </Suspense>
      <Suspense>
        {config?.demoWallet && <DemoWallet />}
        {config && platformOf(navigator) === 'android' && <MobileWallet config={config} />}
      </Suspense>
    </>
  )
}
