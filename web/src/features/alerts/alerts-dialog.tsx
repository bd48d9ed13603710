import { type Body } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { MIN_ALERT_SOL } from '@juicebar/contract/limits'
import { type Alert } from '@juicebar/contract/schemas'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'

import { serverSentence } from '../../api/api-error.ts'
import { cheapestQuery } from '../../api/queries.ts'
import { catalogue } from '../../catalogue/catalogue.ts'
import { useNotices } from '../../feedback/notices.ts'
import { NumberField } from '../../ui/amount/number-field.tsx'
import { Button } from '../../ui/button.tsx'
import { formatSol, formatTime, formatUnitPrice } from '../../ui/format.ts'
import { CheckIcon, ClockIcon, CloseIcon } from '../../ui/icons.tsx'
import { Modal } from '../../ui/modal.tsx'
import { alertsQuery, callAlerts, priceProblem } from './alert-calls.ts'
import { NotificationPart } from './notification-part.tsx'

interface AlertsDialogProps {
  tokenType: TokenType
  walletAddress: string
  open: boolean
  onClose: () => void
}

/** Sets an alert for a drink, and shows all alerts and whether this browser notifies. */
export function AlertsDialog({ open, onClose, ...drink }: AlertsDialogProps) {
  return (
    <Modal open={open} title={`Tell me about ${catalogue().nameOf(drink.tokenType)}`} onClose={onClose}>
      <div className="mt-4 grid gap-5 sm:mt-5">
        <AlertForm {...drink} />
        <NotificationPart walletAddress={drink.walletAddress} />
      </div>
    </Modal>
  )
}

function AlertForm({ tokenType, walletAddress }: Pick<AlertsDialogProps, 'tokenType' | 'walletAddress'>) {
  const [price, setPrice] = useState('')
  const { list, create, remove } = useAlerts()
  const { data: cheapest } = useQuery({ ...cheapestQuery(tokenType, walletAddress), meta: { quiet: true } })
  const problem = priceProblem(price)
  const isReady = price !== '' && problem === undefined && !create.isPending
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) create.mutate({ tokenType, below: Number(price) }, { onSuccess: () => setPrice('') })
  }
  const fired = create.data?.alert.firedAt !== null && create.data?.alert
  const others = cheapest && cheapest.seller !== walletAddress ? cheapest : undefined
  return (
    <>
      <form noValidate onSubmit={submit} className="grid grid-cols-[1fr_auto] items-start gap-x-3">
        <NumberField
          label="Unit price at or below (SOL)"
          min={MIN_ALERT_SOL}
          step={MIN_ALERT_SOL}
          inputMode="decimal"
          value={price}
          problem={problem}
          onChange={setPrice}
          onEnter={() => undefined}
        />
        <Button kind="primary" type="submit" className="mt-7.5" disabled={!isReady}>
          Tell me
        </Button>
        <p className="figures col-span-full text-tiny text-dim" role="status">
          {fired
            ? `It is for sale at that price already: ${formatSol(fired.price ?? fired.below)} SOL each.`
            : others
              ? `The cheapest from others costs ${formatUnitPrice(others.unitPrice)} SOL now. Your own listings do not count.`
              : 'Nobody else sells any now. Your own listings do not count.'}
        </p>
      </form>
      {list.data && list.data.length > 0 && <AlertRows alerts={list.data} onDelete={(id) => remove.mutate(id)} />}
      {list.data?.length === 0 && (
        <p className="rounded-field bg-well px-4 py-3 text-small text-dim">No alerts yet. Each one notifies you once.</p>
      )}
      {!list.data && list.isError && (
        <div role="status" className="grid justify-items-start gap-3 text-small">
          Your alerts could not be loaded.
          <Button small onClick={() => void list.refetch()}>
            Try again
          </Button>
        </div>
      )}
    </>
  )
}

interface AlertRowsProps {
  alerts: readonly Alert[]
  onDelete: (id: string) => void
}

/** The player's alerts: those that are waiting, and those that have fired. */
function AlertRows({ alerts, onDelete }: AlertRowsProps) {
  return (
    <ul aria-label="Your alerts" className="grid max-h-64 gap-2 overflow-y-auto">
      {alerts.map((alert) => (
        <AlertRow key={alert.id} alert={alert} onDelete={() => onDelete(alert.id)} />
      ))}
    </ul>
  )
}

function AlertRow({ alert: { tokenType, below, firedAt, price }, onDelete }: { alert: Alert; onDelete: () => void }) {
  const name = catalogue().nameOf(tokenType)
  return (
    <li className="figures flex items-center gap-3 rounded-field bg-well py-1 pr-1 pl-3.5 text-small" data-token={tokenType}>
      <span className={firedAt === null ? 'text-dim' : 'text-good'}>{firedAt === null ? <ClockIcon /> : <CheckIcon />}</span>
      <p className="min-w-0 flex-1 py-1.5">
        <span className="font-semibold">{name}</span> at {formatSol(below)} SOL or less
        <span className="block text-tiny text-dim">
          {firedAt === null ? 'Waiting' : `For sale at ${formatSol(price ?? below)} SOL on ${formatTime(firedAt)}`}
        </span>
      </p>
      <button
        type="button"
        aria-label={`Delete the alert: ${name} at ${formatSol(below)} SOL`}
        onClick={onDelete}
        className="grid size-11 flex-none cursor-pointer place-items-center rounded-field text-dim hover:text-text"
      >
        <CloseIcon />
      </button>
    </li>
  )
}

const NOT_SET = 'The alert could not be set. Please try again.'
const NOT_DELETED = 'The alert could not be deleted. Please try again.'

/** The player's alerts, and how to set and delete them; a failure goes to the banner. */
function useAlerts() {
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
