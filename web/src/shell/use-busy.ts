import { running } from '../features/purchase/purchase-store.ts'
import { processing } from '../feedback/use-processing.ts'
import { useStore } from '../ui/store.ts'

/** True while the Processing overlay covers the page, which then takes neither keys nor clicks. */
export function useBusy(): boolean {
  const labels = useStore(processing)
  const purchase = useStore(running)
  return labels.length > 0 || (purchase !== undefined && !purchase.inBackground)
}
