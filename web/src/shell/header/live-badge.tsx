import { type LiveState } from '../../realtime/live-state.ts'

const labels: Record<LiveState, string> = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' }

const titles: Record<LiveState, string> = {
  connecting: 'Opening the live connection',
  live: 'Changes on the market show at once',
  reconnecting: 'The live connection is down; the market is reloaded every few seconds',
}

/** Shows whether changes on the market appear at once. */
export function LiveBadge({ state }: { state: LiveState }) {
  return (
    <span className="flex items-center gap-1.5 text-tiny font-semibold text-dim" role="status" title={titles[state]}>
      <span className="max-sm:sr-only sm:min-w-21 sm:text-right">{labels[state]}</span>
      <span className={`size-2 rounded-full forced-color-adjust-none ${state === 'live' ? 'bg-good' : 'breathe bg-warn'}`} />
    </span>
  )
}
