import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { useEffect, useState } from 'react'

import { usePurchase } from '../features/purchase/use-purchase.ts'
import { usePath } from '../navigation/path.ts'
import { lazyComponent, prefetchWhenIdle, whenFirstLoadIsOver } from '../ui/lazy-component.ts'
import { useRetained } from '../ui/use-retained.ts'
import { PHANTOM } from '../wallet/wallet.ts'
import { useWallet } from '../wallet/wallet-store.ts'
import { PartOnTop } from '../feedback/crash-screen.tsx'
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
}

/** Everything that is shown on top. Each part is downloaded when it is first needed. */
export function Dialogs({ config, closed, processing }: DialogsProps) {
  const firstLoadOver = useFirstLoadOver()
  const { confirming, overtaken, running, dismiss, keepBrowsing } = usePurchase()
  const path = usePath()
  const addressed = path.startsWith(LISTING_PATH) ? path : undefined
  const buying = useRetained(confirming ?? overtaken)
  // Players who used the page's own wallet before get it at once; for others, it can wait.
  const registers = useWallet(({ chosen }) => chosen !== undefined && chosen !== PHANTOM) || firstLoadOver
  return (
    <>
      <PartOnTop wanted={processing}>{processing && <Overlay label={processing} />}</PartOnTop>
      <PartOnTop wanted={running?.inBackground === false || undefined} onMissing={keepBrowsing}>
        {running && <PurchaseProgress />}
      </PartOnTop>
      <PartOnTop wanted={confirming ?? overtaken} onMissing={dismiss}>
        {buying && <BuyDialog />}
      </PartOnTop>
      <PartOnTop wanted={addressed}>{(firstLoadOver || addressed) && <Addressed closed={closed} />}</PartOnTop>
      <PageWallets config={config} registers={registers} />
    </>
  )
}

/** True once the first load is over; from then on, code that may be needed next is downloaded in idle time. */
function useFirstLoadOver(): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    void whenFirstLoadIsOver().then(() => {
      setOver(true)
      void prefetchWhenIdle()
    })
  }, [])
  return over
}
