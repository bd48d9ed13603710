import { SignInButton } from '../../session/sign-in-button.tsx'
import { marketSettings } from '../../settings/market-settings.ts'
import { Button } from '../../ui/button.tsx'
import { catalogue } from '../../catalogue/catalogue.ts'
import { DrinkImage } from '../../catalogue/drink-image.tsx'
import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { openPicker, useWallet } from '../../wallet/wallet-store.ts'

/** How many of the items are in the picture. */
const MAX_GLASSES = 3

/** The first thing that a visitor sees, above the market: how to sign in. */
export function ConnectPrompt({ away }: { away: boolean }) {
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  return (
    <section className="for-visitors card welcome">
      <div>
        <p className="flex items-center gap-2 rounded-round border border-line px-3 py-1 text-tiny font-semibold">
          <span className={`size-2 rounded-full forced-color-adjust-none ${away ? 'breathe bg-warn' : 'bg-good'}`} />
          {away ? 'Reconnecting' : 'Server Online'}
        </p>
        <h2 className="text-hero">Connect Phantom Wallet</h2>
        <p className="max-w-prose text-dim max-sm:line-clamp-3">
          {connected
            ? 'Sign the message in your wallet to show that it is yours. It costs nothing and moves nothing.'
            : (marketSettings().welcome ?? inMarketWords('Sell your drinks, or buy from other players.'))}
          {!connected && <span className="max-sm:hidden"> You pay the seller directly in SOL; the market never holds your money.</span>}
        </p>
        {connected && !away ? (
          <SignInButton />
        ) : (
          <Button kind="primary" disabled={away} onClick={openPicker}>
            Choose a wallet
          </Button>
        )}
      </div>
      <div className={connected ? 'bar max-md:hidden' : 'bar'} aria-hidden="true">
        {catalogue()
          .items.slice(0, MAX_GLASSES)
          .map(({ code }) => (
            <div key={code} className="bar-glass" data-token={code}>
              <DrinkImage tokenType={code} />
            </div>
          ))}
      </div>
    </section>
  )
}
