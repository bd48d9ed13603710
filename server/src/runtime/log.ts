import { type LevelWithSilent, type Logger, pino } from 'pino'

/** Nothing logs these on purpose. If a logged object contains one of them, its value is removed. */
const secretPaths = [
  'authorization',
  'headers.authorization',
  'req.headers.authorization',
  'body',
  '*.body',
  'token',
  '*.token',
  'signature',
  '*.signature',
  'secret',
  '*.secret',
  'password',
  '*.password',
]

/** The server's log: one JSON object a line on standard output. */
export function createLog(level: LevelWithSilent): Logger {
  return pino({ level, base: null, redact: { paths: secretPaths, censor: '(left out)' } })
}

/** Logs a line of level info that is written at every level but `silent`. */
export function logAlways(log: Logger, fields: object, message: string): void {
  if (log.level !== 'silent') log.child({}, { level: 'info' }).info(fields, message)
}
