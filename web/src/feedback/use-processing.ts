import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'

/**
 * What the Processing overlay says: the label of the newest action under way that has one (`meta.processing`).
 *
 * It follows the mutation cache directly. `useMutationState` reports a moment later, when a dialog that closes at success has already
 * tried to hand the focus back to a page that still could not take it.
 *
 * @returns undefined while no such action runs
 */
export function useProcessing(): string | undefined {
  const mutations = useQueryClient().getMutationCache()
  const subscribe = useCallback((onChange: () => void) => mutations.subscribe(onChange), [mutations])
  return useSyncExternalStore(
    subscribe,
    () => mutations.findAll({ status: 'pending', predicate: ({ meta }) => meta?.processing !== undefined }).at(-1)?.meta?.processing,
    () => undefined,
  )
}
