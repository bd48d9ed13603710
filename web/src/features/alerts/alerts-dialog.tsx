import { type Body } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { MIN_ALERT_SOL } from '@juicebar/contract/limits'
import { type Alert } from '@juicebar/contract/schemas'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'

import { serverSentence } from '../../api/api-error.ts'
import { cheapestQuery } from '../../api/queries.ts'
import { catalogue } from '../../catalogue/catalogue.ts'
import { dismissBanner, showBanner } from '../../feedback/notices.ts'
import { NumberField } from '../../ui/amount/number-field.tsx'
import { Button } from '../../ui/button.tsx'
import { formatSol, formatTime, formatUnitPrice } from '../../ui/format.ts'
import { CheckIcon, ClockIcon, CloseIcon } from '../../ui/icons.tsx'
import { Modal } from '../../ui/modal.tsx'
import { platformOf } from '../../wallet/wallet.ts'
import { alertsQuery, callAlerts, priceProblem, pushKey, pushQuery } from './alert-calls.ts'
import { canNotify, notificationState, type NotificationState, readEndpoint, stateTexts, subscribe, unsubscribe } from './browser-pushes.ts'

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
  const onSettled = () => client.invalidateQueries({ queryKey: alertsQuery.queryKey })
  const list = useQuery(alertsQuery)
  const create = useMutation({
    onMutate: dismissBanner,
    mutationFn: (body: Body<'createAlert'>) => callAlerts('createAlert', { body }),
    onError: (error) => showBanner(serverSentence(error, NOT_SET)),
    onSettled,
  })
  const remove = useMutation({
    onMutate: dismissBanner,
    mutationFn: (id: string) => callAlerts('deleteAlert', { params: { id } }),
    onSuccess: ({ alert }) => client.setQueryData(alertsQuery.queryKey, (alerts) => alerts?.filter(({ id }) => id !== alert.id)),
    onError: (error) => showBanner(serverSentence(error, NOT_DELETED)),
    onSettled,
  })
  return { list, create, remove }
}

/** Whether this browser notifies while the page is closed, and the switch for it. */
export function NotificationPart({ walletAddress }: { walletAddress: string }) {
  const { state, failed, busy, problem, turnOn, turnOff } = useNotifications(walletAddress)
  const text = state
    ? stateTexts[state]
    : failed
      ? 'Could not check whether notifications are on.'
      : 'Checking whether notifications are on…'
  return (
    <section aria-labelledby="notifications-title" className="grid gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56" aria-live="polite">
          <h3 id="notifications-title" className="text-small font-semibold">
            Notifications{state === 'on' && ': on'}
          </h3>
          <p className="mt-0.5 text-tiny text-dim">{text}</p>
        </div>
        {state === 'off' && (
          <Button small disabled={busy} onClick={turnOn}>
            {busy ? 'Turning on…' : 'Turn on'}
          </Button>
        )}
        {state === 'on' && (
          <Button small disabled={busy} onClick={turnOff}>
            {busy ? 'Turning off…' : 'Turn off'}
          </Button>
        )}
      </div>
      {problem && !busy && (
        <p role="alert" className="text-small font-semibold text-warn">
          {problem}
        </p>
      )}
    </section>
  )
}

const NOT_ON = 'They could not be switched on: this browser’s push service cannot be reached. Please try again.'
const NOT_OFF = 'They could not be switched off. Please try again.'

interface Notifications {
  /** Undefined until the server has answered. */
  state: NotificationState | undefined
  /** The state is unknown. */
  failed: boolean
  busy: boolean
  /** Why the last switch failed, as a sentence. */
  problem: string | undefined
  turnOn: () => void
  turnOff: () => void
}

/** Whether this browser shows the signed-in player's pushes, and how to change that. */
function useNotifications(walletAddress: string): Notifications {
  const client = useQueryClient()
  const capable = canNotify()
  const push = useQuery({ ...pushQuery, ...(!capable && { enabled: false }) })
  const browser = useQuery({
    queryKey: [...pushKey, 'browser'],
    queryFn: async () => ({ permission: Notification.permission, endpoint: (await readEndpoint()) ?? null }),
    ...(!capable && { enabled: false }),
    refetchOnWindowFocus: 'always',
    meta: { quiet: true },
  })
  const onSettled = () => client.invalidateQueries({ queryKey: pushKey })
  const turnOn = useMutation({
    // This comes first, because browsers only ask in response to a click.
    mutationFn: async (publicKey: string) => {
      if ((await Notification.requestPermission()) === 'granted') await subscribe(walletAddress, publicKey)
    },
    onSettled,
  })
  const turnOff = useMutation({ mutationFn: () => unsubscribe(walletAddress), onSettled })

  const facts = push.data &&
    browser.data && { ...browser.data, endpoint: browser.data.endpoint ?? undefined, sessionEndpoint: push.data.endpoint }
  const platform = platformOf(navigator)
  const none = { permission: 'default' as const, endpoint: undefined, sessionEndpoint: null }
  return {
    state: facts || !capable ? notificationState({ capable, platform, ...(facts ?? none) }) : undefined,
    failed: push.isError || browser.isError,
    busy: turnOn.isPending || turnOff.isPending,
    problem: turnOn.error ? serverSentence(turnOn.error, NOT_ON) : turnOff.error ? serverSentence(turnOff.error, NOT_OFF) : undefined,
    turnOn: () => {
      turnOff.reset()
      if (push.data) turnOn.mutate(push.data.publicKey)
    },
    turnOff: () => {
      turnOn.reset()
      turnOff.mutate()
    },
  }
}
