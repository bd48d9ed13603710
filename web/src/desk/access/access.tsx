import { KeysPart } from './keys-part.tsx'
import { StaffPart } from './staff-part.tsx'

/** Who may use the studio's API: programs by their keys, people by their wallets. */
export function Access() {
  return (
    <div className="grid gap-5">
      <KeysPart />
      <StaffPart />
    </div>
  )
}
