import { useEffect } from 'react'

import { CheckIcon, CloseIcon, WarningIcon } from '../ui/icons.tsx'
import { type Toast, toastDuration } from './notices.ts'
import { useNotices } from './use-notices.ts'

/**
 * The short messages, newest last: at the bottom edge or, while a dialog is at the bottom edge of a phone, below the header and the banner.
 */
export function Toasts({ toasts }: { toasts: readonly Toast[] }) {
  return (
    <div className="toasts pointer-events-none fixed inset-x-0 flex flex-col items-center gap-2 p-4 pb-[max(1rem,env(safe-area-inset-bottom))] sm:items-end sm:p-6">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastCard({ toast: { id, text, tone } }: { toast: Toast }) {
  const { dismissToast } = useNotices()
  useEffect(() => {
    const timer = setTimeout(() => dismissToast(id), toastDuration(text))
    return () => clearTimeout(timer)
  }, [id, text, dismissToast])
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
