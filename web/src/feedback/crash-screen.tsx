import { Component, type ReactNode, useEffect } from 'react'

import { showBanner } from './notices.ts'
import { Button } from '../ui/button.tsx'
import { replayEarlyEvents } from '../ui/early-events.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Part } from '../ui/part.tsx'

interface CrashScreenProps {
  children: ReactNode
  /** What to show instead; by default, a message that this part could not be shown, and a way to reload. */
  fallback?: ReactNode
}

const paidText = 'A payment that you have already sent is still delivered.'

/** Replaces a part of the app that broke, for example because its code could not be downloaded. */
export class CrashScreen extends Component<CrashScreenProps, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  /** Nothing else may be alive: the button must be. */
  override componentDidCatch() {
    replayEarlyEvents()
  }

  override render() {
    if (!this.state.broken) return this.props.children
    if (this.props.fallback !== undefined) return this.props.fallback
    return (
      <EmptyState title="This part of the page could not be shown">
        <p className="text-dim">{paidText}</p>
        <Button kind="primary" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </EmptyState>
    )
  }
}

interface PartOnTopProps {
  children: ReactNode
  /** What somebody wants of it; undefined if nobody does. Whenever that changes, it is said again that it cannot be shown. */
  wanted: unknown
  /** Called whenever that is said. */
  onMissing?: () => void
}

/** A part that has no place of its own on the page: if it cannot be shown when somebody wants it, the banner says so. */
export function PartOnTop({ children, ...missing }: PartOnTopProps) {
  return (
    <CrashScreen fallback={<Missing {...missing} />}>
      <Part>{children}</Part>
    </CrashScreen>
  )
}

/** Says in the banner that what somebody wants cannot be shown. */
export function sayMissing(): void {
  showBanner(`This part of the page could not be shown. Reload the page. ${paidText}`)
}

function Missing({ wanted, onMissing }: Omit<PartOnTopProps, 'children'>) {
  useEffect(() => {
    if (wanted === undefined) return
    sayMissing()
    onMissing?.()
  }, [wanted, onMissing])
  return null
}
