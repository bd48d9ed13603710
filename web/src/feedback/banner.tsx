import { CloseIcon } from '../ui/icons.tsx'
import { useNotices } from './use-notices.ts'

/** The red banner: the latest error, until it is dismissed. With a `key` for each notice, screen readers announce a repeated one again. */
export function Banner({ text }: { text: string }) {
  const { dismissBanner } = useNotices()
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
