import { BlocksPart } from './blocks-part.tsx'
import { PausePart } from './pause-part.tsx'
import { RulesPart } from './rules-part.tsx'

/** The studio's restrictions, for everyone and for blocked players. To block a player, find the player first. */
export function MarketControls() {
  return (
    <div className="grid gap-5">
      <PausePart />
      <RulesPart />
      <BlocksPart />
    </div>
  )
}
