import { type PublicConfig } from '@juicebar/contract/schemas'

import { ThemeToggle } from './theme-toggle.tsx'

/** Which chain this is, and what the market promises. */
export function Footer({ config }: { config: PublicConfig | undefined }) {
  return (
    <footer className="mt-auto border-t border-line">
      <div className="mx-auto flex max-w-[110rem] flex-wrap items-center gap-x-6 gap-y-2 px-4 py-5 text-tiny text-dim sm:px-6">
        <p className="flex-1 basis-72">You pay the seller directly. The market never holds your SOL.</p>
        {config && (
          <p>
            {config.network} · version {config.version}
          </p>
        )}
        <a href="/licenses.txt" className="py-2 hover:text-text">
          Licences
        </a>
        <ThemeToggle />
      </div>
    </footer>
  )
}
