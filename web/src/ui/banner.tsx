import { CloseIcon } from './icons.tsx'
import { bannerText, dismissBanner } from './notices.ts'
import { useStore } from './store.ts'

/** The red banner below the header: the last thing that went wrong, until it is dismissed. It stays in sight above open dialogs. */
export function Banner() {
  const text = useStore(bannerText)
  return (
    <div aria-live="assertive" className="sticky top-(--header-height) z-55">
      {text && <BannerText text={text} />}
    </div>
  )
}

function BannerText({ text }: { text: string }) {
  return (
    <div role="alert" className="drop-in bg-danger text-on-danger">
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
