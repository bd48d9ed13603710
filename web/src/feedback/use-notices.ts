import { createContext, useContext } from 'react'

import { noNotices, type Notices, type ToastTone } from './notices.ts'

/** Functions that show notices. They never change, so effects may depend on them. */
export interface NoticeActions {
  /** Shows the red banner, in place of an earlier one. It stays until it is dismissed. */
  showBanner: (text: string) => void
  dismissBanner: () => void
  /** Shows a short message that disappears on its own. */
  showToast: (text: string, tone?: ToastTone) => void
  dismissToast: (id: number) => void
}

export const NoticeActionsContext = createContext<NoticeActions | undefined>(undefined)
export const NoticesContext = createContext<Notices>(noNotices)

/** For components that show notices; a notice that appears or disappears does not render them again. */
export function useNotices(): NoticeActions {
  const actions = useContext(NoticeActionsContext)
  if (!actions) throw new Error('useNotices needs a NoticesProvider above it')
  return actions
}
