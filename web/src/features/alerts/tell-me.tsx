import { type TokenType } from '@juicebar/contract/catalogue'
import { Suspense, useState } from 'react'

import { catalogue } from '../../catalogue/catalogue.ts'
import { Button } from '../../ui/button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { BellIcon } from './bell-icon.tsx'

const AlertsDialog = lazyComponent(async () => (await import('./alerts-dialog.tsx')).AlertsDialog)

/** A drink's bell, which opens its alerts. */
export function TellMe({ tokenType, walletAddress }: { tokenType: TokenType; walletAddress: string }) {
  const [open, setOpen] = useState(false)
  const [used, setUsed] = useState(false)
  return (
    <>
      <Button
        small
        aria-label={`Tell me about ${catalogue().nameOf(tokenType)}`}
        aria-haspopup="dialog"
        onClick={() => {
          setUsed(true)
          setOpen(true)
        }}
      >
        <BellIcon />
        Tell me
      </Button>
      <Suspense>
        {used && <AlertsDialog tokenType={tokenType} walletAddress={walletAddress} open={open} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}
