import { messages } from '@juicebar/contract/messages'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { configQuery, healthQuery } from '../api/queries.ts'
import { showBanner } from '../feedback/notices.ts'
import { type BackendStatus } from './main-area/main-area.tsx'

/** Asks once on load whether the server is there, and for what the page needs to start. */
export function useBackend() {
  const health = useQuery(healthQuery)
  const { data: config } = useQuery(configQuery)
  const backend = statusOf(health)
  useEffect(() => {
    if (backend === 'offline') showBanner(messages.healthFailed)
  }, [backend])
  return { backend, config }
}

function statusOf({ data, isError }: { data: { status: string } | undefined; isError: boolean }): BackendStatus {
  if (isError || (data && data.status !== 'ok')) return 'offline'
  return data ? 'online' : 'checking'
}
