import { type Body } from '@juicebar/contract/calls'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { alertsQuery, callAlerts } from './alert-calls.ts'
import { serverSentence } from '../../api/api-error.ts'
import { useNotices } from '../../feedback/use-notices.ts'

const NOT_SET = 'The alert could not be set. Please try again.'
const NOT_DELETED = 'The alert could not be deleted. Please try again.'

/** The player's alerts, and how to set and delete them; a failure goes to the banner. */
export function useAlerts() {
  const client = useQueryClient()
  const { showBanner } = useNotices()
  const onSettled = () => client.invalidateQueries({ queryKey: alertsQuery.queryKey })
  const list = useQuery(alertsQuery)
  const create = useMutation({
    mutationFn: (body: Body<'createAlert'>) => callAlerts('createAlert', { body }),
    onError: (error) => showBanner(serverSentence(error, NOT_SET)),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (id: string) => callAlerts('deleteAlert', { params: { id } }),
    onSuccess: ({ alert }) => client.setQueryData(alertsQuery.queryKey, (alerts) => alerts?.filter(({ id }) => id !== alert.id)),
    onError: (error) => showBanner(serverSentence(error, NOT_DELETED)),
    onSettled,
  })
  return { list, create, remove }
}
