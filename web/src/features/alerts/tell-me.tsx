import { type TokenType } from '@juicebar/contract/catalogue'
import { useState } from 'react'

import { catalogue } from '../../catalogue/catalogue.ts'
import { PartOnTop } from '../../feedback/crash-screen.tsx'
import { useSession } from '../../session/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { connectChosen } from '../../wallet/connect.ts'

const AlertsDialog = lazyComponent(async () => (await import('./alerts-dialog.tsx')).AlertsDialog)

/** A drink's bell, which opens its alerts as soon as it is known whose they are, or asks a visitor for a wallet. */
export function TellMe({ tokenType, walletAddress }: { tokenType: TokenType; walletAddress: string | undefined }) {
  const { authorization } = useSession()
  const [open, setOpen] = useState(false)
  const [used, setUsed] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button
        small
        aria-label={`Tell me about ${catalogue().nameOf(tokenType)}`}
        aria-haspopup="dialog"
        onClick={() => {
          if (authorization === 'signed-out') return connectChosen()
          setUsed(true)
          setOpen(true)
        }}
      >
        <BellIcon />
        Tell me
      </Button>
      <PartOnTop wanted={open || undefined} onMissing={close}>
        {used && walletAddress !== undefined && (
          <AlertsDialog tokenType={tokenType} walletAddress={walletAddress} open={open} onClose={close} />
        )}
      </PartOnTop>
    </>
  )
}

/** Kept apart from the other icons, which every visitor downloads. */
function BellIcon() {
  return (
    <svg
      className="size-5 flex-none"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 21h4" />
    </svg>
  )
}
