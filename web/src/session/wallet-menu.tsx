import { type KeyboardEvent, type ReactNode, type ToggleEvent, useId, useRef, useState } from 'react'

import { serverSentence } from '../api/api-error.ts'
import { showToast } from '../feedback/notices.ts'
import { disconnectWallet, openPicker } from '../wallet/wallet-store.ts'
import { logOutEverywhere, useSession } from './session-store.ts'

/** How long "Copied" is shown (specification, section 9). */
const COPIED_MS = 400
/** Between the button and its menu, in pixels. */
const GAP = 8

interface WalletMenuProps {
  address: string
  /** The face of its button. */
  children: ReactNode
}

/** The menu of a connected wallet. */
export function WalletMenu({ address, children }: WalletMenuProps) {
  const id = useId()
  const trigger = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const close = () => menu.current?.hidePopover()
  const { copied, copy } = useCopy(address, close)
  const isSignedIn = useSession(({ user }) => user !== undefined)
  const choose = (action: () => void) => () => {
    close()
    action()
  }
  const onToggle = ({ newState }: ToggleEvent) => {
    if (newState === 'open') itemsOf(menu.current)[0]?.focus()
  }
  return (
    <>
      <button
        ref={trigger}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        className="button button-quiet max-sm:px-3"
        onKeyDown={({ key }) => key === 'ArrowDown' && menu.current?.showPopover()}
      >
        {children}
      </button>
      <div
        ref={menu}
        id={id}
        role="menu"
        tabIndex={-1}
        aria-label="Wallet"
        popover="auto"
        className="popup drop-in fixed inset-auto m-0 min-w-48 rounded-field p-1.5"
        onBeforeToggle={() => placeBelow(trigger.current, menu.current)}
        onToggle={onToggle}
        onKeyDown={(event) => moveFocus(event, close)}
      >
        <Item onClick={copy}>{copied ? 'Copied' : 'Copy address'}</Item>
        <Item onClick={choose(openPicker)}>Change wallet</Item>
        {isSignedIn && <Item onClick={choose(signOutEverywhere)}>Sign out everywhere</Item>}
        <Item onClick={choose(() => void disconnectWallet())}>Disconnect</Item>
      </div>
    </>
  )
}

function Item({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      onClick={onClick}
      className="flex min-h-11 w-full cursor-pointer items-center rounded-tag px-3 text-small font-semibold outline-none hover:bg-well focus:bg-well"
    >
      {children}
    </button>
  )
}

/** Sets the menu below the right end of its button. Both stay where they are: the header does not scroll. */
function placeBelow(trigger: HTMLElement | null, menu: HTMLElement | null): void {
  if (!trigger || !menu) return
  const { bottom, right } = trigger.getBoundingClientRect()
  menu.style.top = `${bottom + GAP}px`
  menu.style.right = `${document.documentElement.clientWidth - right}px`
}

function moveFocus(event: KeyboardEvent, close: () => void): void {
  const items = itemsOf(event.currentTarget)
  const at = items.findIndex((item) => item === document.activeElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
  // A menu is one stop of the Tab key, so Tab continues from its button.
  if (event.key === 'Tab') close()
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}

function itemsOf(menu: Element | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
}

function useCopy(text: string, onDone: () => void): { copied: boolean; copy: () => void } {
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

/** Signs the wallet out everywhere, and tells whether that worked. */
function signOutEverywhere(): void {
  logOutEverywhere().then(
    () => showToast('You are signed out everywhere.', 'good'),
    (error: unknown) => {
      const reason = serverSentence(error, 'The market could not be reached. Please try again.')
      showToast(`You may still be signed in elsewhere. ${reason}`, 'bad')
    },
  )
}
