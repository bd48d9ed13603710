import { Spinner } from '../../../ui/spinner.tsx'
import { type Screen } from './screen.ts'

/** There is no checkout to show, or not yet. */
export function NoCheckout({ kind }: { kind: Screen['kind'] }) {
  return (
    <div className="grid justify-items-center gap-4 px-6 py-14 text-center">
      {kind !== 'missing' && <Spinner className="size-8 text-dim" />}
      <h1 id="checkout-title" className="text-lead">
        {kind === 'missing'
          ? 'This checkout does not exist'
          : kind === 'unreachable'
            ? 'The market cannot be reached'
            : 'Loading the checkout'}
      </h1>
      {kind === 'unreachable' && <p className="text-small text-dim">This page tries again by itself. Check your internet connection.</p>}
      {kind === 'missing' && (
        <>
          <p className="text-small text-dim">The address may be incomplete. Start again in the game.</p>
          <a href="/" className="button button-quiet">
            Go to the market
          </a>
        </>
      )}
    </div>
  )
}
