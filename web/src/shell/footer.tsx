import { type PublicConfig } from '@juicebar/contract/schemas'

import { InBrowser } from '../ui/in-browser.ts'
import { marketSettings } from '../settings/market-settings.ts'
import { ThemeToggle } from './theme-toggle.tsx'

/** The market's promises, the studio's own text, and the name of the chain. */
export function Footer({ config }: { config: PublicConfig | undefined }) {
  const { footer } = marketSettings()
  return (
    <footer className="mt-auto border-t border-line">
      <div className="mx-auto flex max-w-[110rem] flex-wrap items-center gap-x-6 gap-y-2 px-4 py-5 text-tiny text-dim sm:px-6">
        <p className="flex-1 basis-72 wrap-anywhere">
          {footer && <span className="block">{footer}</span>}You pay the seller directly. The market never holds your SOL.
        </p>
        {config && (
          <p>
            {config.network} · version {config.version}
          </p>
        )}
        <a href="/licenses.txt" className="py-3 hover:text-text">
          Licences
        </a>
        <InBrowser fallback={<span className="button button-small invisible">Evening</span>}>
          <ThemeToggle />
        </InBrowser>
      </div>
    </footer>
  )
}
