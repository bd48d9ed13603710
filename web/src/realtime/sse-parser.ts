export interface SseMessage {
  id: string | undefined
  event: string
  data: string
}

/**
 * Reads server-sent events out of text that arrives in pieces. Each call takes the next piece and gives the messages that it completes.
 * Comments and `retry` fields are skipped.
 */
export function createSseParser(): (piece: string) => SseMessage[] {
  let rest = ''
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.map(readBlock).filter((message) => message !== undefined)
  }
}

function readBlock(block: string): SseMessage | undefined {
  let id: string | undefined
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') id = value
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return data.length ? { id, event, data: data.join('\n') } : undefined
}
