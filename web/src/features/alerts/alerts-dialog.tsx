import { MIN_ALERT_SOL } from '@juicebar/contract/limits'
import { type TokenType } from '@juicebar/contract/catalogue'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'

import { catalogue } from '../../catalogue/catalogue.ts'
import { cheapestQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { formatSol, formatUnitPrice } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'
import { NumberField } from '../../ui/amount/number-field.tsx'
import { AlertRows } from './alert-rows.tsx'
import { priceProblem } from './alert-text.ts'
import { NotificationPart } from './notifications/notification-part.tsx'
import { useAlerts } from './use-alerts.ts'

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
