import { MAX_REASON } from '@juicebar/contract/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, type FormEvent, type ReactNode, useState } from 'react'

import { asSentence, errorSentence } from '../../api/api-error.ts'
import { isUnanswered } from '../../api/refusals.ts'
import { showToast } from '../../feedback/notices.ts'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { connectChosen } from '../../wallet/connect.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { callStudio, DESK } from '../desk-queries.ts'
import { TextField } from './fields.tsx'

/** An action that a person at the desk can take. */
export interface Action<Result> {
  title: string
  /** The consequences, in words, shown before the action. */
  consequence: ReactNode
  /** The label of the reason's field, and who will read it; unless given, only the log has it. */
  reason?: { label: string; hint: string }
  /** The button that does it. */
  doIt: string
  /** The short message afterwards. */
  done: string
  /** The action needs its own wallet signature. */
  signed?: boolean
  /** Why it cannot be done yet: a field is missing or wrong. */
  problem?: string | undefined
  act: (reason: string) => Promise<Result>
  onDone?: (result: Result) => void
}

interface ActProps<Result> extends Action<Result> {
  /** The button that begins it. */
  label: ReactNode
  kind?: ComponentProps<typeof Button>['kind']
  disabled?: boolean
  /** Sets the action's own fields back, each time it begins. */
  onBegin?: () => void
  /** Fields of its own, above the reason. */
  children?: ReactNode
}

const onlyLogged = { label: 'Reason', hint: 'Only shown in the log.' }

/** A button that explains the consequences and asks for a reason before it acts. */
export function Act<Result>({ label, kind = 'quiet', disabled = false, onBegin, children, ...action }: ActProps<Result>) {
  // Incremented at each start, so that every one begins with empty fields.
  const [{ open, turn }, setState] = useState({ open: false, turn: 0 })
  const begin = () => {
    onBegin?.()
    setState(({ turn }) => ({ open: true, turn: turn + 1 }))
  }
  const close = () => setState(({ turn }) => ({ open: false, turn }))
  return (
    <>
      <Button kind={kind} small disabled={disabled} onClick={begin}>
        {label}
      </Button>
      <Modal open={open} title={action.title} onClose={close}>
        <ActForm key={turn} action={action} onClose={close}>
          {children}
        </ActForm>
      </Modal>
    </>
  )
}

function ActForm<Result>({ action, onClose, children }: { action: Action<Result>; onClose: () => void; children: ReactNode }) {
  const { consequence, reason = onlyLogged, doIt, done, signed = false, problem, act, onDone } = action
  const [why, setWhy] = useState('')
  const [tried, setTried] = useState(false)
  const queries = useQueryClient()
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  const mutation = useMutation({
    mutationFn: () => act(why.trim()),
    onSuccess: (result) => {
      showToast(done, 'good')
      onDone?.(result)
      onClose()
    },
    // Also after a failure, because the effect of a call without an answer is unknown.
    onSettled: () => void queries.invalidateQueries({ queryKey: DESK }),
  })
  const missing = why.trim() ? problem : 'Say why: the log keeps it.'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!missing && !mutation.isPending) mutation.mutate()
  }
  const needsWallet = signed && !connected
  return (
    <form noValidate className="mt-3 grid gap-5" onSubmit={submit}>
      <div className="rounded-field bg-well p-4 text-small">{consequence}</div>
      {children}
      <TextField {...reason} lines={2} maxLength={MAX_REASON} required value={why} onChange={setWhy} />
      {tried && missing && (
        <p role="alert" className="text-small text-warn">
          {missing}
        </p>
      )}
      {mutation.error && <Refused error={mutation.error} />}
      {signed && <p className="text-tiny text-dim">Your wallet shows what you sign, and signs it for this one action.</p>}
      <div className="grid grid-cols-2 gap-3">
        <Button onClick={onClose}>Cancel</Button>
        {needsWallet ? (
          <Button kind="primary" onClick={connectChosen}>
            Connect to sign
          </Button>
        ) : (
          <Button kind="primary" type="submit" disabled={mutation.isPending}>
            {mutation.isPending && <Spinner className="size-4" />}
            {mutation.isPending && signed ? 'In your wallet' : doIt}
          </Button>
        )}
      </div>
    </form>
  )
}

function Refused({ error }: { error: Error }) {
  return (
    <p role="alert" className="rounded-field bg-warn/12 p-3 text-small wrap-anywhere">
      {asSentence(errorSentence(error, 'It was not done, for an unknown reason'))}
      {isUnanswered(error) && ' It may have been done: check before you try again.'}
    </p>
  )
}

/** Ends the block of a player. */
export function Unblock({ walletAddress }: { walletAddress: string }) {
  return (
    <Act
      label="Unblock"
      title="End the block"
      consequence={
        <>
          The player <span className="figures wrap-anywhere">{walletAddress}</span> can list and buy again at once. Listings that were taken
          off the market stay off it.
        </>
      }
      doIt="Unblock"
      done="The block has ended."
      act={(reason) => callStudio('unblockWallet', { params: { wallet: walletAddress }, query: { reason } })}
    />
  )
}
