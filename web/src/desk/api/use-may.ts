import { type Scope } from '@juicebar/contract/scopes'
import { useQuery } from '@tanstack/react-query'

import { meQuery } from './desk-queries.ts'

/** Whether the person at the desk has this scope; false until known. */
export function useMay(scope: Scope): boolean {
  const { data } = useQuery(meQuery)
  return data?.scopes.includes(scope) ?? false
}
