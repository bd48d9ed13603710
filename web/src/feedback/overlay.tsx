import { type ReactNode } from 'react'

import { Spinner } from '../ui/spinner.tsx'

interface OverlayProps {
  /** The action under way, in a few words. */
  label: string
  children?: ReactNode
}

/** The full-screen Processing overlay with its spinner. */
export function Overlay({ label, children }: OverlayProps) {
  return (
    <div className="veil fixed inset-0 z-40 grid place-items-center overflow-y-auto p-4">
      <div className="popup arrive w-full max-w-sm p-7 text-center">
        <div role="status">
          <Spinner className="mx-auto size-10" />
          <h2 className="mt-5 text-title">Processing</h2>
          <p className="mt-2 text-small text-dim">{label}</p>
        </div>
        {children}
      </div>
    </div>
  )
}
