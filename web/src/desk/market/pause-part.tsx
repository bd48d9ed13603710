import { useQuery } from '@tanstack/react-query'

import { pauseQuery } from '../api/desk-queries.ts'
import { callStudio } from '../api/studio-call.ts'
import { useMay } from '../api/use-may.ts'
import { Act } from '../parts/act.tsx'
import { Moment } from '../parts/names.tsx'
import { Part } from '../parts/section.tsx'
import { Shown } from '../parts/shown.tsx'

/** Whether the market is paused, and the way to change it. */
export function PausePart() {
  const query = useQuery(pauseQuery)
  const may = useMay('rules')
  const pause = query.data
  return (
    <Part
      title={pause ? 'The market is paused' : 'Pause'}
      about="While it is paused, nothing can be listed or bought."
      actions={
        may &&
        pause !== undefined && (
          <>
            <PauseMarket again={pause !== null} />
            {pause && <ResumeMarket />}
          </>
        )
      }
    >
      <Shown query={query} what="Whether the market is paused">
        {(read) =>
          read ? (
            <p className="rounded-field bg-warn/12 px-4 py-3 text-small wrap-anywhere">
              Since <Moment at={read.since} />, players read: “{read.message}”
            </p>
          ) : (
            <p className="rounded-field bg-well px-4 py-3 text-small">The market is open.</p>
          )
        }
      </Shown>
    </Part>
  )
}

function PauseMarket({ again }: { again: boolean }) {
  return (
    <Act
      label={again ? 'Change the message' : 'Pause the market'}
      title={again ? 'Change the message' : 'Pause the market'}
      consequence={
        again
          ? 'Every player reads the new message at once. The market stays paused.'
          : 'Within a second nobody can list or buy, on every server. What is being paid is still delivered, and players can still remove their listings and refund.'
      }
      reason={{ label: 'Message', hint: 'Shown to every player, and kept in the log.' }}
      doIt={again ? 'Change' : 'Pause'}
      done={again ? 'The message is changed.' : 'The market is paused.'}
      act={(message) => callStudio('pauseMarket', { body: { message } })}
    />
  )
}

function ResumeMarket() {
  return (
    <Act
      label="Open the market"
      kind="primary"
      title="Open the market again"
      consequence="Players can list and buy again at once, on every server."
      doIt="Open"
      done="The market is open."
      act={(reason) => callStudio('resumeMarket', { query: { reason } })}
    />
  )
}
