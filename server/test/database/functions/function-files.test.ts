import { describe, expect, it } from 'vitest'
import { decideFunctions, type FunctionSet } from '../../../src/database/apply-functions.ts'

const [first, second, third] = ['0001-a.sql', '0002-b.sql', '0003-c.sql']
const set = (checksum: string, migration: string): FunctionSet => ({ checksum, migration })

describe('the functions of a server', () => {
  it.each<[string, 'current' | 'older' | 'apply', { sets: FunctionSet[]; migrations?: string[] }]>([
    ['are applied to a database that has none', 'apply', { sets: [] }],
    ['are applied if they are new', 'apply', { sets: [set('before', second)] }],
    ['are left if the database has them', 'current', { sets: [set('before', first), set('own', second)] }],
    ['are left if the database has them and a newer migration', 'current', { sets: [set('own', second)], migrations: [third] }],
    ['are not applied beside a migration that the server lacks', 'older', { sets: [set('before', first)], migrations: [third] }],
    ['are not put back after they were replaced', 'older', { sets: [set('own', second), set('after', second)] }],
    ['are not put back, although they came with an earlier migration', 'older', { sets: [set('own', first), set('after', second)] }],
    ['are put back by a server that comes with a newer migration', 'apply', { sets: [set('own', first), set('after', first)] }],
  ])('%s', (_what, decision, { sets, migrations = [] }) => {
    const database = { sets, migrations: [first, second, ...migrations] }
    expect(decideFunctions({ checksum: 'own', migrations: [first, second] }, database)).toBe(decision)
  })
})
