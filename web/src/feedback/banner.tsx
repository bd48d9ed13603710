import { CloseIcon } from '../ui/icons.tsx'
import { banner, dismissBanner } from './notices.ts'
import { useStore } from '../ui/store.ts'

/** The red banner: the last thing that went wrong, until it is dismissed. What goes wrong once more is said once more. */
export function Banner() {
  const notice = useStore(banner)
  if (!notice) return null
  return (
    <div key={notice.id} role="alert" className="banner drop-in bg-danger text-on-danger">
      <div className="mx-auto flex max-w-[110rem] items-center gap-3 px-4 py-2.5 sm:px-6">
        <p className="min-w-0 flex-1 text-small font-medium wrap-anywhere">{notice.text}</p>
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
