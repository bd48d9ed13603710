import { useQuery } from '@tanstack/react-query'

import { configQuery } from '../../api/queries.ts'
import { AsOfBar } from './as-of-bar.tsx'
import { PauseBar } from './pause-bar.tsx'

/** Says why nothing can be bought: the market cannot be updated, or the studio has paused it. */
export function ClosedBar({ away }: { away: boolean }) {
  const { data: config } = useQuery(configQuery)
  if (away) return <AsOfBar />
  return config?.pause && <PauseBar message={config.pause.message} />
}
