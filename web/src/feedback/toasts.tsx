import { CheckIcon, CloseIcon, WarningIcon } from '../ui/icons.tsx'
import { dismissToast, type Toast, toasts } from './notices.ts'
import { useStore } from '../ui/store.ts'

/** The short messages, newest last: at the lower edge, on a phone below header and banner, where they cover no button. */
export function Toasts() {
  const shown = useStore(toasts)
  return (
    <div className="pointer-events-none absolute inset-x-0 top-full flex flex-col items-center gap-2 p-4 sm:fixed sm:top-auto sm:bottom-0 sm:items-end sm:p-6">
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  return (
    <div role="alert" className="popup arrive pointer-events-auto flex w-full max-w-md items-center sm:max-w-sm gap-3 py-2 pr-2 pl-4">
      <span className={toast.tone === 'bad' ? 'text-warn' : 'text-good'}>{toast.tone === 'bad' ? <WarningIcon /> : <CheckIcon />}</span>
      <p className="min-w-0 flex-1 py-1 text-small font-semibold wrap-anywhere">{toast.text}</p>
      <button
        type="button"
        aria-label="Close message"
        onClick={() => dismissToast(toast.id)}
        className="grid size-11 flex-none cursor-pointer place-items-center rounded-field text-dim hover:text-text"
      >
        <CloseIcon />
      </button>
    </div>
  )
}
