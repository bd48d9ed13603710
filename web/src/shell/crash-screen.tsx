import { Component, type ReactNode } from 'react'

import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** What stands in place of a part of the page that broke, such as one whose code could not be downloaded. */
export class CrashScreen extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override render() {
    if (!this.state.broken) return this.props.children
    return (
      <EmptyState title="This part of the page could not be shown">
        <p className="text-dim">A payment that was already sent is delivered all the same.</p>
        <Button kind="primary" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </EmptyState>
    )
  }
}
