import { useEffect } from 'react'

import { CheckIcon, CloseIcon, WarningIcon } from '../ui/icons.tsx'
import { dismissBanner, dismissToast, type Toast, toastDuration, useNotices } from './notices.ts'

/**
 * The banner and the toasts, below the header and above open dialogs. Each is an alert, so screen readers announce it once.
 * `aria-live="off"` announces nothing; it only keeps dialogs from hiding this area, as they hide everything else outside of them.
 */
export function NoticeArea() {
  const { banner, toasts } = useNotices()
  return (
    <div aria-live="off" className="sticky top-(--header-height) z-55">
      {banner && <Banner key={banner.id} text={banner.text} />}
      <Toasts toasts={toasts} />
    </div>
  )
}

/**
 * The red banner: the latest error, until it is dismissed or something else is tried. With a `key` for each notice, screen readers announce a
 * repeated one again.
 */
function Banner({ text }: { text: string }) {
  return (
    <div role="alert" className="banner drop-in bg-danger text-on-danger">
      <div className="mx-auto flex max-w-[110rem] items-center gap-3 px-4 py-2.5 sm:px-6">
        <p className="min-w-0 flex-1 text-small font-medium wrap-anywhere">{text}</p>
        <button
          type="button"
          aria-label="Dismiss"
          onClick={dismissBanner}
          className="-mr-2 grid size-11 flex-none cursor-pointer place-items-center rounded-field hover:bg-on-danger/15 focus-visible:outline-current"
        >
          <CloseIcon />
        </button>
      </div>
    </div>
  )
}

/** The short messages, newest last: at the bottom edge or, while a dialog is open, at the top edge. */
function Toasts({ toasts }: { toasts: readonly Toast[] }) {
  return (
    <div className="toasts pointer-events-none fixed inset-x-0 flex flex-col items-center gap-2 p-4 pb-[max(1rem,env(safe-area-inset-bottom))] sm:items-end sm:p-6">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastCard({ toast: { id, text, tone } }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => dismissToast(id), toastDuration(text))
    return () => clearTimeout(timer)
  }, [id, text])
  return (
    <div role="alert" className="popup arrive pointer-events-auto flex w-full max-w-md items-center gap-3 py-2 pr-2 pl-4 sm:max-w-sm">
      <span className={tone === 'bad' ? 'text-warn' : 'text-good'}>{tone === 'bad' ? <WarningIcon /> : <CheckIcon />}</span>
      <p className="min-w-0 flex-1 py-1 text-small font-semibold wrap-anywhere">{text}</p>
      <button
        type="button"
        aria-label="Close message"
        onClick={() => dismissToast(id)}
        className="grid size-11 flex-none cursor-pointer place-items-center rounded-field text-dim hover:text-text"
      >
        <CloseIcon />
      </button>
    </div>
  )
}
