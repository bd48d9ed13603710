import { liveState, type LiveState } from '../../realtime/live-state.ts'
import { useStore } from '../../ui/store.ts'

const labels: Record<LiveState, string> = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' }

const titles: Record<LiveState, string> = {
  connecting: 'The live connection is being made',
  live: 'Changes on the market show by themselves',
  reconnecting: 'The live connection is down; the market is asked again every few seconds',
}

/** Whether changes on the market show by themselves. */
export function LiveBadge() {
  const state = useStore(liveState)
  return (
    <span className="flex items-center gap-1.5 text-tiny font-semibold text-dim" role="status" title={titles[state]}>
      <span className="max-sm:sr-only sm:min-w-21 sm:text-right">{labels[state]}</span>
      <span className={`size-2 rounded-full forced-color-adjust-none ${state === 'live' ? 'bg-good' : 'breathe bg-warn'}`} />
    </span>
  )
}
