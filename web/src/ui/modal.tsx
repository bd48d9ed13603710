import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode } from 'react'

import { CloseIcon } from './icons.tsx'

interface ModalProps {
  open: boolean
  title: string
  onClose: () => void
  /** A press beside the dialog closes it too: for dialogs that hold nothing typed and ask nothing grave. */
  lightDismiss?: boolean
  children: ReactNode
}

/** A dialog above the page: it takes the keyboard, closes on Escape and gives the focus back. It fades for 150 ms (specification, section 9). */
export function Modal({ open, title, onClose, lightDismiss = false, children }: ModalProps) {
  return (
    <Dialog.Root open={open} disablePointerDismissal={!lightDismiss} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil fading fixed inset-0 z-50" />
        <Dialog.Viewport className="below-banner fixed inset-0 z-50 grid place-items-end overflow-y-auto sm:place-items-center sm:p-6">
          <Dialog.Popup className="popup rising w-full max-w-lg rounded-b-none p-5 pb-[max(1.25rem,env(safe-area-inset-bottom))] sm:rounded-b-card sm:p-7">
            <div className="flex items-start gap-4">
              <Dialog.Title className="flex-1 text-title">{title}</Dialog.Title>
              <Dialog.Close
                aria-label="Close"
                className="-mt-1.5 -mr-1.5 grid size-11 flex-none cursor-pointer place-items-center rounded-field text-dim hover:text-text"
              >
                <CloseIcon />
              </Dialog.Close>
            </div>
            {children}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
