import { Button } from '../ui/button.tsx'
import { logOut } from './session-store.ts'

/** Logs out and disconnects the wallet. */
export function LogoutButton() {
  return (
    <Button kind="bare" className="max-sm:absolute max-sm:right-2 max-sm:bottom-0 max-sm:px-2" onClick={() => void logOut()}>
      Logout
    </Button>
  )
}
