import { useFiredAlerts } from './use-fired-alerts.ts'
import { useKeptNotifications } from './notifications/use-kept-notifications.ts'

/** Tells of alerts while the page is open, and keeps notifications on for when it is closed. It shows nothing of its own. */
export function AlertWatch({ walletAddress }: { walletAddress: string }) {
  useFiredAlerts(walletAddress)
  useKeptNotifications(walletAddress)
  return null
}
