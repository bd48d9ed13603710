import { Banner } from './banner.tsx'
import { Toasts } from './toasts.tsx'

/**
 * What the page has to say, below the header and above open dialogs. Each notice is an alert and so is spoken by itself, once. The
 * attribute speaks of nothing: dialogs hide from screen readers all that is outside of them but what carries it.
 */
export function Notices() {
  return (
    <div aria-live="off" className="sticky top-(--header-height) z-55">
      <Banner />
      <Toasts />
    </div>
  )
}
