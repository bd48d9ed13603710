import { type Scope, scopes } from '@juicebar/contract/scopes'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { useMay } from '../api/use-may.ts'
import { Tick } from '../parts/fields.tsx'

const meanings: Record<Scope, string> = {
  read: 'See everything but keys, webhooks and the log; start audits',
  credit: 'Give drinks to players',
  debit: 'Take drinks from players',
  checkout: 'Make checkouts for players, and end them',
  cases: 'Close cases, release holds',
  rules: 'Pause, block, set rules',
  admin: 'Keys, staff, webhooks, the log',
}

interface ScopeTicksProps {
  chosen: readonly Scope[]
  onChoose: (chosen: Scope[]) => void
}

/** What a key or a person may do. Nobody can give what they may not do themselves. */
export function ScopeTicks({ chosen, onChoose }: ScopeTicksProps) {
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="mb-2 text-small font-semibold">Permissions</legend>
      {scopes.map((scope) => (
        <ScopeTick
          key={scope}
          scope={scope}
          checked={chosen.includes(scope)}
          onChange={(checked) => onChoose(scopes.filter((one) => (one === scope ? checked : chosen.includes(one))))}
        />
      ))}
    </fieldset>
  )
}

function ScopeTick({ scope, checked, onChange }: { scope: Scope; checked: boolean; onChange: (checked: boolean) => void }) {
  const may = useMay(scope)
  return <Tick label={scope} hint={inMarketWords(meanings[scope])} checked={checked} disabled={!may} onChange={onChange} />
}
