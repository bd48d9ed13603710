import { type Block } from '@juicebar/contract/schemas'
import { useState } from 'react'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { callStudio } from '../api/studio-call.ts'
import { Act } from '../parts/act.tsx'
import { TextField, Tick } from '../parts/fields.tsx'
import { Unblock } from '../parts/unblock.tsx'
import { useClock } from '../parts/use-clock.ts'

/** Blocks a player, or ends the block. */
export function BlockActions({ walletAddress, block }: { walletAddress: string; block: Block | null }) {
  return (
    <>
      <BlockPlayer walletAddress={walletAddress} again={block !== null} />
      {block && <Unblock walletAddress={walletAddress} />}
    </>
  )
}

function BlockPlayer({ walletAddress, again }: { walletAddress: string; again: boolean }) {
  const [until, setUntil] = useState('')
  const [removes, setRemoves] = useState(false)
  const now = useClock()
  const end = until ? new Date(until) : undefined
  const begin = () => {
    setUntil('')
    setRemoves(false)
  }
  return (
    <Act
      label={again ? 'Change block' : 'Block'}
      title={again ? 'Change the block' : 'Block this player'}
      onBegin={begin}
      consequence={
        <>
          From now on the player can neither list nor buy, on every server. What is paid is still delivered; they can still remove their
          listings, pay for what they hold, and refund.
          {removes &&
            inMarketWords(
              ' Their listings leave the market at once, and the drinks return to them; what is being bought right now is sold or returned when its hold ends.',
            )}
        </>
      }
      reason={{ label: 'Reason', hint: 'Shown to the player.' }}
      doIt="Block"
      done="The player is blocked."
      problem={end && end.getTime() <= now ? 'The block would be over already: choose a later end.' : undefined}
      act={(reason) =>
        callStudio('blockWallet', {
          params: { wallet: walletAddress },
          body: { reason, removeListings: removes, ...(end && { until: end.toISOString() }) },
        })
      }
    >
      <TextField
        type="datetime-local"
        label="Until"
        hint="In your time zone. Leave empty to block until somebody ends it."
        value={until}
        onChange={setUntil}
      />
      <Tick label="Remove their listings from the market" checked={removes} onChange={setRemoves} />
    </Act>
  )
}
