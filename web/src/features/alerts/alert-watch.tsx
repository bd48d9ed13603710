import { useFiredAlerts } from './use-fired-alerts.ts'
import { useKeptNotifications } from './notifications/use-kept-notifications.ts'

/** Announces alerts while the page is open, and keeps notifications on for when it is closed. It renders nothing itself. */
export function AlertWatch({ walletAddress }: { walletAddress: string }) {
  useFiredAlerts(walletAddress)
  useKeptNotifications(walletAddress)
  return null
}
