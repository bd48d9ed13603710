import { type PublicConfig } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode } from 'react'

import { ApiError } from '../../api/api-error.ts'
import { logOut, useSession } from '../../session/session-store.ts'
import { SignInButton } from '../../session/sign-in-button.tsx'
import { WalletButton } from '../../session/wallet-button.tsx'
import { marketSettings } from '../../settings/market-settings.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useWallet } from '../../wallet/wallet-store.ts'
import { meQuery } from '../desk-queries.ts'
import { Shown } from '../parts/shown.tsx'
import { placeLink } from './places.ts'

/** Whose desk it is. */
export function Brand({ productName }: { productName: string }) {
  return (
    <h1 className="min-w-0 text-small leading-none">
      <a href={placeLink('today')} className="flex min-h-9 min-w-0 items-center gap-2.5">
        <img src={marketSettings().logo} alt="" width={36} height={36} className="size-9 flex-none max-[23rem]:hidden" />
        <span className="min-w-0 truncate">
          {productName} <span className="mt-1 block text-tiny font-normal tracking-normal text-dim max-sm:sr-only">Studio desk</span>
        </span>
      </a>
    </h1>
  )
}

interface GateProps {
  config: PublicConfig
  children: ReactNode
}

/** Lets the staff in, and tells everyone else in a sentence why not. */
export function Gate({ config, children }: GateProps) {
  const { authorization, user } = useSession()
  if (authorization === 'checking') return <Arriving config={config} />
  if (!user) return <SignIn config={config} />
  return (
    <Staff config={config} walletAddress={user.walletAddress}>
      {children}
    </Staff>
  )
}

function SignIn({ config }: { config: PublicConfig }) {
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  return (
    <Threshold config={config}>
      <h2 className="text-hero">Studio desk</h2>
      <p className="text-dim">Sign in with a staff wallet.</p>
      <div className="flex flex-wrap justify-center gap-3">
        {connected && <SignInButton />}
        <WalletButton localChain={config.network === 'localnet'} demoWallet={config.demoWallet} />
      </div>
      <p className="text-small text-dim">
        Looking for the market?{' '}
        <a href="/" className="link">
          Open the market
        </a>
      </p>
    </Threshold>
  )
}

function Staff({ config, walletAddress, children }: { config: PublicConfig; walletAddress: string; children: ReactNode }) {
  const me = useQuery(meQuery)
  if (me.data) return children
  if (me.error instanceof ApiError && me.error.code === 'NOT_STAFF') {
    return (
      <Threshold config={config}>
        <h2 className="text-title">This wallet does not belong to the studio’s staff</h2>
        <p className="figures max-w-full text-small text-dim wrap-anywhere">{walletAddress}</p>
        <div className="flex flex-wrap justify-center gap-3">
          <Button onClick={() => void logOut()}>Use another wallet</Button>
          <a href="/" className="button button-primary">
            To the market
          </a>
        </div>
      </Threshold>
    )
  }
  return (
    <Threshold config={config}>
      <Shown query={me} what="Your permissions">
        {() => null}
      </Shown>
    </Threshold>
  )
}

/** Shown while it is not known yet whether somebody is signed in, and while the desk is downloaded. */
export function Arriving({ config }: { config: PublicConfig }) {
  return (
    <Threshold config={config}>
      <Spinner className="size-8" />
    </Threshold>
  )
}

/** What is shown before the desk is. */
function Threshold({ config, children }: { config: PublicConfig; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="desk-width py-3">
        <Brand productName={config.productName} />
      </header>
      <main className="grid flex-1 place-content-center justify-items-center gap-5 px-4 py-16 text-center">{children}</main>
    </div>
  )
}
