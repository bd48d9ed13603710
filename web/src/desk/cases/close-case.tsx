import { type Case } from '@juicebar/contract/schemas'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { callStudio } from '../api/studio-call.ts'
import { Act } from '../parts/act.tsx'

/** Closes a case by hand. */
export function CloseCase({ subject: { caseId, refundable, kind } }: { subject: Pick<Case, 'caseId' | 'refundable' | 'kind'> }) {
  return (
    <Act
      label="Close"
      title="Close this case"
      consequence={
        <>
          {inMarketWords('Closing moves neither SOL nor drinks: it says that you have settled this elsewhere.')}
          {refundable && ' The seller can then no longer refund it with one click.'}
          {kind === 'lost' && ' The seller’s listings can be bought and removed again.'}
        </>
      }
      reason={{ label: 'What was done', hint: 'Shown to buyer and seller, and in the log.' }}
      doIt="Close the case"
      done="The case is closed."
      act={(reason) => callStudio('closeCase', { body: { caseId, note: reason } })}
    />
  )
}
