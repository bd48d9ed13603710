import { type Scope } from '@juicebar/contract/scopes'

/** The parts of the desk, in the order of its navigation, and the scope that each needs. */
export const sections = [
  { name: 'today', title: 'Today', scope: 'read' },
  { name: 'find', title: 'Find', scope: 'read' },
  { name: 'cases', title: 'Cases', scope: 'read' },
  { name: 'checkouts', title: 'Checkouts', scope: 'read' },
  { name: 'market', title: 'Market', scope: 'read' },
  { name: 'webhooks', title: 'Webhooks', scope: 'admin' },
  { name: 'access', title: 'Keys and staff', scope: 'admin' },
  { name: 'log', title: 'Log', scope: 'admin' },
  { name: 'audit', title: 'Audit', scope: 'read' },
] as const satisfies readonly { name: string; title: string; scope: Scope }[]

export type SectionName = (typeof sections)[number]['name']

/** What the desk shows: a part, and the subject in it, such as the wallet that was searched for. */
export interface Place {
  section: SectionName
  detail: string
}

/** Reads an address's hash, such as `#find/5dEb…`. Unknown hashes lead to the front. */
export function parsePlace(hash: string): Place {
  const [name = '', ...rest] = hash.replace(/^[^#]*#/, '').split('/')
  const section = sections.find((one) => one.name === name)?.name
  return section ? { section, detail: decodeText(rest.join('/')) } : { section: 'today', detail: '' }
}

/** Where the server serves the desk. */
const DESK = '/studio'

/** The link to a part of the desk. It is a hash, so that no server log ever contains the wallet that was searched for. */
export function placeLink(section: SectionName, detail = ''): string {
  return detail ? `${DESK}#${section}/${encodeURIComponent(detail)}` : `${DESK}#${section}`
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
