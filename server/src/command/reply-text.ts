/**
 * A reply for a person: a list as one block of lines for each item, a single thing as its fields. Nested values are shown as JSON.
 */
export function replyText(reply: unknown): string {
  if (!isRecord(reply)) return reply === null || reply === undefined ? 'Done.' : JSON.stringify(reply)
  const parts = Object.entries(reply).flatMap(([name, value]) => partText(name, value))
  return parts.length === 0 ? 'Done.' : parts.join('\n\n')
}

function partText(name: string, value: unknown): string[] {
  if (name === 'nextCursor') return typeof value === 'string' ? [`There are more: --cursor ${value}`] : []
  if (Array.isArray(value))
    return value.length === 0 ? [`no ${name}`] : value.map((item) => (isRecord(item) ? fieldsText(item) : valueText(item)))
  return [isRecord(value) ? fieldsText(value) : `${name}  ${valueText(value)}`]
}

function fieldsText(fields: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${valueText(value)}`)
    .join('\n')
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ')
  return typeof value === 'string' ? printable(value) : JSON.stringify(value)
}

/** Text from strangers must not control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
