import { createContext, useContext } from 'react'

import { noNotices, type Notices, type ToastTone } from './notices.ts'

/** Ways to tell the person something. They never change, so effects may depend on them. */
export interface NoticeActions {
  /** Shows the red banner, in place of an earlier one. It stays until it is dismissed. */
  showBanner: (text: string) => void
  dismissBanner: () => void
  /** Shows a short message that goes by itself. */
  showToast: (text: string, tone?: ToastTone) => void
  dismissToast: (id: number) => void
}

export const NoticeActionsContext = createContext<NoticeActions | undefined>(undefined)
export const NoticesContext = createContext<Notices>(noNotices)

/** For whoever has something to tell; a notice that comes or goes does not render them again. */
export function useNotices(): NoticeActions {
  const actions = useContext(NoticeActionsContext)
  if (!actions) throw new Error('useNotices needs a NoticesProvider above it')
  return actions
}
