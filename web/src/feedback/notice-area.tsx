import { useContext } from 'react'

import { Banner } from './banner.tsx'
import { Toasts } from './toasts.tsx'
import { NoticesContext } from './use-notices.ts'

/**
 * The banner and the toasts, below the header and above open dialogs. Each is an alert, so screen readers announce it once.
 * `aria-live="off"` announces nothing; it only keeps dialogs from hiding this area, as they hide everything else outside of them.
 */
export function NoticeArea() {
  const { banner, toasts } = useContext(NoticesContext)
  return (
    <div aria-live="off" className="sticky top-(--header-height) z-55">
      {banner && <Banner key={banner.id} text={banner.text} />}
      <Toasts toasts={toasts} />
    </div>
  )
}
