import { type Recovery } from '@juicebar/contract/schemas'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CommandCall } from '../../src/command/commands.ts'
import { recover, recoveryText } from '../../src/command/recover.ts'

const done: Recovery = {
  id: '01a1f7e3-d2be-70a3-b634-7c62066aaf1d',
  status: 'done',
  part: 'reading',
  since: '2030-01-01T00:00:00.000Z',
  startedAt: '2030-01-02T00:00:00.000Z',
  finishedAt: '2030-01-02T00:01:00.000Z',
  outcome: 'clean',
  marketPaused: false,
  progress: { blockHeight: 1, expiryHeight: 0, wallets: 3, walletsListed: 3, transactions: 1_234, transactionsRead: 1_234 },
  payments: 200,
  casesOpened: 0,
  refunds: [],
  refundsCount: 0,
  unchecked: [],
  uncheckedCount: 0,
  limits: ['What nobody can find.'],
}
const cases: Partial<Recovery> = { outcome: 'cases', casesOpened: 2, marketPaused: true }
const unchecked: Partial<Recovery> = { outcome: 'unchecked', unchecked: ['wallet 1: no answer'], uncheckedCount: 3, marketPaused: true }

class Away extends Error {}
let printed: string
let complaint: string

beforeEach(() => {
  printed = ''
  complaint = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))))
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((complaint += String(text))))
})
afterEach(() => void vi.restoreAllMocks())

/** A product whose recovery is under way, is away for one call, and is then done. */
function product(result: Recovery) {
  const calls: CommandCall[] = []
  const send = async (call: CommandCall) => {
    calls.push(call)
    if (call.method === 'POST') return { recovery: { ...result, status: 'running', outcome: null, part: 'listing' } }
    if (calls.length === 2) throw new Away('no answer')
    return { recovery: result }
  }
  return { calls, connection: { send, isAway: (error: unknown) => error instanceof Away } }
}

describe('the command for a recovery', () => {
  it.each([
    [0, 'nothing is missing', {}, 'Nothing is missing.'],
    [1, 'cases were opened', cases, '2 cases were opened'],
    [2, 'not everything could be checked', unchecked, `--accept ${done.id}`],
  ])('ends with %i if %s, and shows its progress', async (code, _what, changes, said) => {
    const { calls, connection } = product({ ...done, ...changes })
    expect(await recover([], connection)).toBe(code)
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /recoveries',
      `GET /recoveries/${done.id}`,
      `GET /recoveries/${done.id}`,
    ])
    expect(complaint).toContain('3 of 3 wallets listed')
    expect(printed).toContain(said)
    expect(printed).toContain('What nobody can find.')
  })

  it('says how much was not checked, how many refunds there are, and that the market stays paused', () => {
    expect(recoveryText({ ...done, refunds: ['5 lamports'], refundsCount: 3 })).toContain('5 lamports\n  … and 2 more')
    expect(recoveryText({ ...done, ...unchecked })).toContain('wallet 1: no answer\n  … and 2 more')
    expect(recoveryText({ ...done, ...cases })).toContain('stays paused')
  })

  it('passes on the time of the backup, and accepts what could not be checked', async () => {
    const { calls, connection } = product(done)
    await recover(['--since', '2030-01-01T00:00:00Z'], connection)
    expect(calls[0]).toMatchObject({ path: '/recoveries', body: { since: '2030-01-01T00:00:00Z' } })
    expect(await recover(['--accept', 'an-id', '--reason', 'No endpoint has it.'], connection)).toBe(0)
    expect(calls.at(-1)).toEqual({ method: 'POST', path: '/recoveries/an-id/accept', body: { reason: 'No endpoint has it.' } })
  })

  it.each([
    [['--accept', 'an-id']],
    [['--reason', 'why']],
    [['--sinc', 'now']],
    [['now']],
    [['--accept', 'a', '--reason', 'b', '--since', 'c']],
  ])('does nothing but say how it goes for %j', async (typed) => {
    const { calls, connection } = product(done)
    expect(await recover(typed, connection)).toBe(2)
    expect(calls).toEqual([])
    expect(complaint).toContain('recover --accept <id> --reason <reason>')
  })

  it('ends with 2 and the words of a refusal', async () => {
    const send = async () => Promise.reject(new Error('This call needs a studio key. (401 STUDIO_KEY_INVALID)'))
    expect(await recover([], { send, isAway: () => false })).toBe(2)
    expect(complaint).toContain('This call needs a studio key.')
  })
})
