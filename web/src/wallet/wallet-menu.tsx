import { Menu } from '@base-ui/react/menu'
import { type ReactNode, useState } from 'react'

import { useNotices } from '../feedback/use-notices.ts'
import { disconnectWallet, openPicker } from './wallet-store.ts'

/** How long "Copied" is shown (specification, section 9). */
const COPIED_MS = 400

/** The menu of a connected wallet; `children` is the face of its button. */
export function WalletMenu({ address, children }: { address: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const { copied, copy } = useCopy(address, () => setOpen(false))
  return (
    <Menu.Root open={open} onOpenChange={setOpen} modal={false}>
      <Menu.Trigger className="button button-quiet">{children}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="z-56" sideOffset={8} align="end">
          <Menu.Popup className="popup rising min-w-48 rounded-field p-1.5">
            <Item staysOpen onClick={copy}>
              {copied ? 'Copied' : 'Copy address'}
            </Item>
            <Item onClick={openPicker}>Change wallet</Item>
            <Item onClick={() => void disconnectWallet()}>Disconnect</Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Item({ staysOpen = false, onClick, children }: { staysOpen?: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <Menu.Item
      closeOnClick={!staysOpen}
      onClick={onClick}
      className="flex min-h-11 cursor-pointer items-center rounded-tag px-3 text-small font-semibold outline-none data-highlighted:bg-well"
    >
      {children}
    </Menu.Item>
  )
}

function useCopy(text: string, onDone: () => void): { copied: boolean; copy: () => void } {
  const { showToast } = useNotices()
  const [copied, setCopied] = useState(false)
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true)
        setTimeout(() => {
          setCopied(false)
          onDone()
        }, COPIED_MS)
      },
      () => showToast(`The browser did not allow copying. Your address: ${text}`, 'bad'),
    )
  }
  return { copied, copy }
}
