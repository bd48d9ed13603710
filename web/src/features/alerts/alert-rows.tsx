import { type Alert } from '@juicebar/contract/schemas'

import { catalogue } from '../../catalogue/catalogue.ts'
import { formatSol, formatTime } from '../../ui/format.ts'
import { CheckIcon, ClockIcon, CloseIcon } from '../../ui/icons.tsx'

interface AlertRowsProps {
  alerts: readonly Alert[]
  onDelete: (id: string) => void
}

/** The player's alerts: those that are waiting, and those that have fired. */
export function AlertRows({ alerts, onDelete }: AlertRowsProps) {
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
