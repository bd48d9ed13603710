import { callStudio } from '../api/studio-call.ts'
import { Act } from './act.tsx'

/** Ends the block of a player. */
export function Unblock({ walletAddress }: { walletAddress: string }) {
  return (
    <Act
      label="Unblock"
      title="End the block"
      consequence={
        <>
          The player <span className="figures wrap-anywhere">{walletAddress}</span> can list and buy again at once. Listings that were taken
          off the market stay off it.
        </>
      }
      doIt="Unblock"
      done="The block has ended."
      act={(reason) => callStudio('unblockWallet', { params: { wallet: walletAddress }, query: { reason } })}
    />
  )
}
