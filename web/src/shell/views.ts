export type View = 'marketplace' | 'inventory' | 'listings'

/** The id of the element that holds the current view. */
export const VIEW_ID = 'view'

/** The id of the tab that opens a view. */
export function tabId(view: View): string {
  return `tab-${view}`
}
