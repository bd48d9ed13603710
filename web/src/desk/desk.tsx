import { type PublicConfig } from '@juicebar/contract/schemas'
import { useSyncExternalStore } from 'react'

import { CrashScreen } from '../feedback/crash-screen.tsx'
import { Access } from './access.tsx'
import { Cases } from './cases.tsx'
import { Checkouts } from './checkouts.tsx'
import { Find } from './find/find.tsx'
import { Frame } from './frame/frame.tsx'
import { parsePlace, type Place } from './frame/places.ts'
import { MarketControls } from './market.tsx'
import { AuditPlace } from './records/audit.tsx'
import { Log } from './records/log.tsx'
import { Today } from './today/today.tsx'
import { Webhooks } from './webhooks.tsx'

/** The desk, as the staff sees it. */
export function Desk({ config }: { config: PublicConfig }) {
  const place = usePlace()
  return (
    <Frame config={config} place={place}>
      <CrashScreen key={place.section}>
        <Content place={place} />
      </CrashScreen>
    </Frame>
  )
}

function Content({ place: { section, detail } }: { place: Place }) {
  switch (section) {
    case 'today':
      return <Today />
    case 'find':
      return <Find text={detail} />
    case 'cases':
      return <Cases />
    case 'checkouts':
      return <Checkouts id={detail} />
    case 'market':
      return <MarketControls />
    case 'webhooks':
      return <Webhooks id={detail} />
    case 'access':
      return <Access />
    case 'log':
      return <Log />
    case 'audit':
      return <AuditPlace id={detail} />
  }
}

/** What the address says to show. */
function usePlace(): Place {
  return parsePlace(useSyncExternalStore(subscribe, () => location.hash))
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}
