import { pino } from 'pino'

export type Line = Record<string, unknown> & { level: number; msg: string }

/** A log whose lines a test can read. */
export function collectLog(level: 'debug' | 'info' | 'warn' = 'info') {
  const lines: Line[] = []
  const log = pino({ level, base: null }, { write: (text: string) => void lines.push(JSON.parse(text)) })
  return { log, lines, about: (words: string) => lines.filter(({ msg }) => msg.includes(words)) }
}
