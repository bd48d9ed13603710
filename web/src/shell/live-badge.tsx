import { liveState, type LiveState } from '../api/live.ts'
import { useStore } from '../ui/store.ts'

const labels: Record<LiveState, string> = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' }

/** Whether changes on the market show by themselves. */
export function LiveBadge() {
  const state = useStore(liveState)
  return (
    <span className="flex items-center gap-1.5 text-tiny font-semibold text-dim" role="status" title={titleOf(state)}>
      <span className={`size-2 rounded-full ${state === 'live' ? 'bg-good' : 'breathe bg-warn'}`} />
      <span className="max-sm:sr-only">{labels[state]}</span>
    </span>
  )
}

function titleOf(state: LiveState): string {
  return state === 'live'
    ? 'Changes on the market show by themselves'
    : 'The live connection is down; the market is asked again every few seconds'
}
