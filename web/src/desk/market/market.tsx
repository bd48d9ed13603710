import { BlocksPart } from './blocks-part.tsx'
import { PausePart } from './pause-part.tsx'
import { RulesPart } from './rules-part.tsx'

/** What the studio restricts: for everybody, and for those who are blocked. A player is blocked where they are found. */
export function MarketControls() {
  return (
    <div className="grid gap-5">
      <PausePart />
      <RulesPart />
      <BlocksPart />
    </div>
  )
}
