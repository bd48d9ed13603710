import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode, useRef } from 'react'

import { CloseIcon } from './icons.tsx'

interface ModalProps {
  open: boolean
  title: string
  onClose: () => void
  /** A click outside closes the dialog too: for dialogs without typed text and without a serious question. */
  lightDismiss?: boolean
  /** The dialog's content may arrive later than the dialog itself, so the focus waits on the dialog. */
  arrivesLater?: boolean
  /** It does not fade in: what it shows was there before. */
  instant?: boolean
  /** Where the focus goes when it closes, if not back; undefined for back. */
  focusAfter?: () => HTMLElement | null | undefined
  children: ReactNode
}

/**
 * A modal dialog. The focus normally goes to its first field or button, and back when it closes. It fades within 150 ms (specification,
 * section 9).
 */
export function Modal({
  open,
  title,
  onClose,
  lightDismiss = false,
  arrivesLater = false,
  instant = false,
  focusAfter,
  children,
}: ModalProps) {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Dialog.Root open={open} disablePointerDismissal={!lightDismiss} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={`veil fading fixed inset-0 z-50 ${instant ? 'instant' : ''}`} />
        <Dialog.Viewport className="dialog-place">
          <Dialog.Popup
            ref={popup}
            initialFocus={arrivesLater ? popup : undefined}
            finalFocus={() => focusAfter?.() ?? true}
            className={`popup rising relative w-full max-w-lg rounded-b-none p-5 pb-[max(1.25rem,env(safe-area-inset-bottom))] sm:rounded-b-card sm:p-7 ${instant ? 'instant' : ''}`}
          >
            <Dialog.Title className="min-h-8 pr-12 text-title">{title}</Dialog.Title>
            {children}
            <Dialog.Close
              aria-label="Close"
              className="absolute top-3.5 right-3.5 grid size-11 cursor-pointer place-items-center rounded-field text-dim hover:text-text sm:top-5.5 sm:right-5.5"
            >
              <CloseIcon />
            </Dialog.Close>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
