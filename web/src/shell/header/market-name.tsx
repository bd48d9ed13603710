import { marketSettings } from '../../settings/market-settings.ts'

const MARKETPLACE = ' Marketplace'

/** The market's name; of Juicebar's own, *Marketplace* is a second line. `secondLine` is its class. */
export function MarketName({ secondLine = '' }: { secondLine?: string }) {
  const { title } = marketSettings()
  const isMarketplace = title.endsWith(MARKETPLACE)
  return (
    <span className="min-w-0 truncate">
      {isMarketplace ? title.slice(0, -MARKETPLACE.length) : title}
      {isMarketplace && <span className={`block text-tiny font-normal tracking-normal text-dim sm:mt-1 ${secondLine}`}>{MARKETPLACE}</span>}
    </span>
  )
}
