import { describe, expect, it } from 'vitest'

import { type CommitFault, createCommitFaults } from '../../chaos/stack/commit-faults.ts'
import { createStatementReader } from '../../chaos/stack/postgres-statements.ts'

/** A message of PostgreSQL's protocol, whose length counts itself. */
function message(letter: string, ...texts: string[]): Buffer {
  const body = Buffer.from(texts.map((text) => `${text}\0`).join(''))
  const head = Buffer.from(`${letter}....`)
  head.writeUInt32BE(4 + body.length, letter.length)
  return Buffer.concat([head, body])
}

const startup = Buffer.from('\0\0\0\x0b\0\x03\0\0u\0\0', 'latin1')
const query = (text: string) => message('Q', text)
const prepare = (name: string, text: string) => message('P', name, text)
const bind = (name: string) => Buffer.concat([message('B', '', name), message('E', '')])

describe('what a client sends to PostgreSQL', () => {
  const sent = Buffer.concat([
    startup,
    query('begin'),
    prepare('s1', 'select write_co_signed($1)'),
    bind('s1'),
    prepare('', 'select 2'),
    bind(''),
    bind('s1'),
    query('commit'),
  ])
  const statements = ['begin', 'select write_co_signed($1)', 'select 2', 'select write_co_signed($1)', 'commit']

  it('is read as the statements that it orders, prepared or not', () => {
    expect(createStatementReader()(sent)).toEqual(statements)
  })

  it('is read in whatever pieces it arrives', () => {
    const read = createStatementReader()
    expect([...sent].flatMap((byte) => read(Buffer.from([byte])))).toEqual(statements)
  })

  it('may begin with the question whether to encrypt', () => {
    const asks = Buffer.from('\0\0\0\x08\x04\xd2\x16\x2f', 'latin1')
    expect(createStatementReader()(Buffer.concat([asks, startup, query('begin')]))).toEqual(['begin'])
  })
})

describe('a fault at a commit', () => {
  const reserving = [query('begin'), query('select write_co_signed(1)'), query('commit')]

  /** What passes, and what happened meanwhile. */
  function pass(fault: CommitFault, messages: readonly Buffer[], { begins = true } = {}) {
    const happened: string[] = []
    const faults = createCommitFaults({
      seed: 1,
      server: 0,
      rates: { reservation: { [fault]: 1 }, commit: {}, statement: {} },
      kill: () => happened.push('killed'),
    })
    if (begins) faults.begin()
    const line = faults.tap(() => happened.push('ended'))
    line.sent(startup)
    const passed = messages.map((bytes) => [line.sent(bytes), line.answered()])
    return { last: passed.at(-1), before: passed.slice(0, -1).flat(), happened, count: faults.counts[fault] }
  }

  it.each([
    ['killedBefore', [false, false], ['killed']],
    ['commitLost', [false, false], ['ended']],
    ['killedAfter', [true, false], ['killed']],
    ['answerLost', [true, false], ['ended']],
  ] as const)('%s', (fault, last, happened) => {
    expect(pass(fault, reserving)).toEqual({ last, before: [true, true, true, true], happened, count: 1 })
  })

  it('happens to reservations, if it is meant for them', () => {
    const others = [query('begin'), query('select write_co_signed(1)'), query('rollback'), query('begin'), query('commit')]
    expect(pass('answerLost', others)).toMatchObject({ last: [true, true], count: 0 })
  })

  it('does not happen before it may', () => {
    expect(pass('answerLost', reserving, { begins: false })).toMatchObject({ last: [true, true], count: 0 })
  })
})
