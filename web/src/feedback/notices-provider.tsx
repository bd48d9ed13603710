import { type ReactNode, useMemo, useReducer, useRef } from 'react'

import { changeNotices, noNotices } from './notices.ts'
import { type NoticeActions, NoticeActionsContext, NoticesContext } from './use-notices.ts'

/** Holds the banner and the toasts for every component below it. */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notices, change] = useReducer(changeNotices, noNotices)
  const lastId = useRef(0)
  const actions = useMemo<NoticeActions>(
    () => ({
      showBanner: (text) => change({ kind: 'show banner', id: ++lastId.current, text }),
      dismissBanner: () => change({ kind: 'dismiss banner' }),
      showToast: (text, tone = 'plain') => change({ kind: 'show toast', toast: { id: ++lastId.current, text, tone } }),
      dismissToast: (id) => change({ kind: 'dismiss toast', id }),
    }),
    [],
  )
  return (
    <NoticeActionsContext value={actions}>
      <NoticesContext value={notices}>{children}</NoticesContext>
    </NoticeActionsContext>
  )
}
