import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { Suspense } from 'react'

import { usePurchase } from '../features/purchase/use-purchase.ts'
import { usePath } from '../navigation/path.ts'
import { lazyComponent } from '../ui/lazy-component.ts'
import { useRetained } from '../ui/use-retained.ts'
import { PHANTOM } from '../wallet/wallet.ts'
import { useWallet } from '../wallet/wallet-store.ts'
import { PageWallets } from './page-wallets.tsx'

const BuyDialog = lazyComponent(async () => (await import('../features/purchase/buy-dialog.tsx')).BuyDialog)
const PurchaseProgress = lazyComponent(async () => (await import('../features/purchase/purchase-progress.tsx')).PurchaseProgress)
const Addressed = lazyComponent(async () => (await import('./main-area/addressed.tsx')).Addressed)
const Overlay = lazyComponent(async () => (await import('../feedback/overlay.tsx')).Overlay)

interface DialogsProps {
  config: PublicConfig | undefined
  /** Nothing can be bought. */
  closed: boolean
  /** What the Processing overlay says; undefined hides it. */
  processing: string | undefined
  firstLoadOver: boolean
}

/** Everything that is shown on top. Each part is downloaded when it is first needed. */
export function Dialogs({ config, closed, processing, firstLoadOver }: DialogsProps) {
  const { confirming, overtaken, running } = usePurchase()
  const path = usePath()
  const buying = useRetained(confirming ?? overtaken)
  // Players who used the page's own wallet before get it at once; for others, it can wait.
  const registers = useWallet(({ chosen }) => chosen !== undefined && chosen !== PHANTOM) || firstLoadOver
  return (
    <>
      <Suspense>{processing && <Overlay label={processing} />}</Suspense>
      <Suspense>
        {running && <PurchaseProgress />}
        {buying && <BuyDialog />}
      </Suspense>
      <Suspense>{(firstLoadOver || path.startsWith(LISTING_PATH)) && <Addressed closed={closed} />}</Suspense>
      <PageWallets config={config} registers={registers} />
    </>
  )
}
