import { messages } from '@juicebar/contract/messages'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { configQuery, healthQuery } from '../api/queries.ts'
import { useNotices } from '../feedback/use-notices.ts'

export type BackendStatus = 'checking' | 'online' | 'offline'

/** Asks once, on load, whether the server is online, and for its public settings. */
export function useBackend(): { backend: BackendStatus; config: PublicConfig | undefined } {
  const { showBanner } = useNotices()
  const backend = statusOf(useQuery(healthQuery))
  const { data: config } = useQuery(configQuery)
  useEffect(() => {
    if (backend === 'offline') showBanner(messages.healthFailed)
  }, [backend, showBanner])
  return { backend, config }
}

function statusOf({ data, isError }: { data: { status: string } | undefined; isError: boolean }): BackendStatus {
  if (isError || (data && data.status !== 'ok')) return 'offline'
  return data ? 'online' : 'checking'
}
