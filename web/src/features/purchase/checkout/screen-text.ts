import { type Screen } from './screen.ts'

/** What screen readers announce when the page shows something else. What the page announces elsewhere is not repeated here. */
export function screenText(screen: Screen): string | undefined {
  switch (screen.kind) {
    case 'loading':
    case 'open':
      return undefined
    case 'unreachable':
      return 'The market cannot be reached.'
    case 'missing':
      return 'This checkout does not exist.'
    case 'expired':
      return 'This checkout has expired.'
    case 'paying':
      return screen.mine ? undefined : 'A payment for this checkout is under way.'
    case 'completed':
      return screen.mine ? 'Delivered.' : 'This checkout has been paid.'
  }
}
