import { Button } from '../ui/button.tsx'
import { logOut } from './session-store.ts'

/** Logs out and disconnects the wallet. */
export function LogoutButton() {
  return (
    <Button kind="bare" className="logout" onClick={() => void logOut()}>
      Logout
    </Button>
  )
}
