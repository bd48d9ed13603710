import { Button } from '../ui/button.tsx'
import { logOut } from './session-store.ts'

/** Logs out and disconnects the wallet. */
export function LogoutButton() {
  return (
    <Button kind="bare" className="max-sm:px-1" onClick={() => void logOut()}>
      Logout
    </Button>
  )
}
