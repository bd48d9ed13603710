import { Collapsible } from '@base-ui/react/collapsible'
import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { useState } from 'react'

import { AppLink } from '../navigation/app-link.tsx'
import { ChevronIcon } from '../ui/icons.tsx'
import { Modal } from '../ui/modal.tsx'
import { connect } from './connect.ts'
import { mobileMessages } from './mobile/request-local-network.ts'
import { phantomLink } from './phantom-link.ts'
import { DEMO_WALLET, isInAppBrowser, type MarketWallet, PHANTOM, platformOf } from './wallet.ts'
import { closePicker, useWallet } from './wallet-store.ts'

/** The dialog to choose a wallet: those that the browser has, and where to get Phantom. */
export function WalletPicker({ localChain, demoWallet }: { localChain: boolean; demoWallet: boolean }) {
  const { present, pickerOpen, wanted } = useWallet()
  const demo = present.find((wallet) => wallet.name === DEMO_WALLET)
  const installed = present.filter((wallet) => wallet !== demo)
  const title = installed.length ? 'Connect a wallet on Solana to continue' : "You'll need a wallet on Solana to continue"
  return (
    <Modal lightDismiss open={pickerOpen} title={title} onClose={closePicker}>
      <ul className="mt-5 grid gap-2">
        {installed.map((wallet) => (
          <WalletRow key={wallet.name} wallet={wallet} tag="Detected" onConnect={connect} />
        ))}
        {demo && <WalletRow wallet={demo} tag="Test SOL" onConnect={connect} />}
      </ul>
      {wanted && <ByPhone listingId={wanted} />}
      {platformOf(navigator) === 'android' && !installed.length && isInAppBrowser(navigator.userAgent) && (
        <p className="mt-4 text-small text-dim">{mobileMessages.incompatible}</p>
      )}
      {localChain && <LocalChainNote withDemo={demo !== undefined} />}
      {/* The Demo Wallet may still be loading. */}
      <MoreOptions noWallet={!present.length && !demoWallet} hasPhantom={installed.some((wallet) => wallet.name === PHANTOM)} />
    </Modal>
  )
}

function WalletRow({ wallet, tag, onConnect }: { wallet: MarketWallet; tag: string; onConnect: (name: string) => void }) {
  return (
    <li>
      <button
        type="button"
        onClick={() => onConnect(wallet.name)}
        className="flex min-h-15 w-full cursor-pointer items-center gap-3 rounded-field border border-line bg-raised px-4 text-left font-semibold transition-colors hover:border-edge"
      >
        <img src={wallet.icon} alt="" width={32} height={32} className="size-8 rounded-tag" />
        <span className="flex-1">{wallet.name}</span>
        <span className="text-tiny font-medium text-dim">{tag}</span>
      </button>
    </li>
  )
}

/** The listing can also be paid for with a phone: its own page says how. */
function ByPhone({ listingId }: { listingId: string }) {
  const { present } = useWallet()
  if (platformOf(navigator) !== 'desktop' || present.some(({ name }) => name === PHANTOM)) return null
  return (
    <AppLink
      href={`${LISTING_PATH}${listingId}`}
      scroll={false}
      className="mt-2 flex min-h-15 items-center gap-3 rounded-field border border-line bg-raised px-4 font-semibold hover:border-edge"
      onClick={closePicker}
    >
      <span className="flex-1">Buy with your phone</span>
      <span className="text-tiny font-medium text-dim">Scan a code</span>
    </AppLink>
  )
}

function LocalChainNote({ withDemo }: { withDemo: boolean }) {
  return (
    <p className="mt-4 text-small text-dim">
      This market runs on a local test chain. {withDemo && 'The Demo Wallet is made for it and gets test SOL by itself. '}
      Phantom warns about payments on a chain that it does not know.
    </p>
  )
}

function MoreOptions({ noWallet, hasPhantom }: { noWallet: boolean; hasPhantom: boolean }) {
  const [chosen, choose] = useState<boolean>()
  const platform = platformOf(navigator)
  const opensPhantom = platform === 'ios' && !hasPhantom
  return (
    <Collapsible.Root open={chosen ?? noWallet} onOpenChange={choose} className="mt-4 border-t border-line pt-2">
      <Collapsible.Trigger className="group flex min-h-11 w-full cursor-pointer items-center justify-between text-small font-semibold text-dim hover:text-text">
        More options
        <span className="transition-transform group-data-panel-open:rotate-180">
          <ChevronIcon />
        </span>
      </Collapsible.Trigger>
      <Collapsible.Panel>
        <a
          href={phantomLink(opensPhantom ? 'ios' : 'desktop', location)}
          target={opensPhantom ? undefined : '_blank'}
          rel="noreferrer"
          className="flex min-h-15 items-center gap-3 rounded-field border border-line bg-raised px-4 font-semibold hover:border-edge"
        >
          <span className="flex-1">{PHANTOM}</span>
          <span className="text-tiny font-medium text-dim">
            {opensPhantom ? 'Open in Phantom' : hasPhantom ? 'Get it on another device' : 'Install'}
          </span>
        </a>
      </Collapsible.Panel>
    </Collapsible.Root>
  )
}
