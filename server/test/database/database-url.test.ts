import { describe, expect, it } from 'vitest'
import { DatabaseUrlError, parseDatabaseUrl } from '../../src/settings/database-url.ts'

const at = (...hosts: string[]) => hosts.map((host) => `postgresql://u:p%40ss@${host}/db`)

describe('a database URL', () => {
  it.each<[string, string[], string?]>([
    ['postgresql://u:p%40ss@a/db', at('a')],
    ['postgresql://u:p%40ss@a,b,c/db', at('a', 'b', 'c')],
    ['postgresql://u:p%40ss@a:5432,b,c:7/db', at('a:5432', 'b', 'c:7')],
    ['postgresql://u:p%40ss@[2001:db8::1]:5433,[2001:db8::2],192.0.2.7:6/db', at('[2001:db8::1]:5433', '[2001:db8::2]', '192.0.2.7:6')],
    [
      'postgresql://a,b/db?target_session_attrs=read-write',
      ['a', 'b'].map((host) => `postgresql://${host}/db?target_session_attrs=read-write`),
      'read-write',
    ],
    ['postgres://a/db?target_session_attrs=prefer-standby', ['postgres://a/db?target_session_attrs=prefer-standby'], 'prefer-standby'],
    ['postgresql:///db?host=a,b&port=1,2', ['postgresql:///db?host=a&port=1', 'postgresql:///db?host=b&port=2']],
    ['postgresql:///db?host=a,b&port=1', ['postgresql:///db?host=a&port=1', 'postgresql:///db?host=b&port=1']],
    ['postgresql:///db?host=%2Frun%2Fpostgresql', ['postgresql:///db?host=%2Frun%2Fpostgresql&port=']],
    ['postgresql://u:p%40ss@/db', at('')],
    ['postgresql:///db', ['postgresql:///db']],
    ['postgresql://u@%2Frun%2Fpostgresql/db', ['postgresql://u@%2Frun%2Fpostgresql/db']],
  ])('%s names its hosts in order', (text, hosts, session = 'any') => {
    expect(parseDatabaseUrl(text)).toEqual({ hosts, session })
  })

  it.each([
    ['mysql://u:hunter2@a/db', 'like postgresql://'],
    ['postgresql://u:hunter2@a,/db', 'like postgresql://'],
    ['postgresql://u:hunter2@a,,b/db', 'like postgresql://'],
    ['postgresql://u:hunter2@a:0,b/db', 'like postgresql://'],
    ['postgresql://u:hunter2@a,b:65536/db', 'like postgresql://'],
    ['postgresql://u:hunter2@a,::1/db', 'like postgresql://'],
    ['postgresql://u:hunter2@a, b/db', 'like postgresql://'],
    ['postgresql:///db?password=hunter2&host=a,b&port=1,2,3', 'for each host'],
    ['postgresql:///db?password=hunter2&host=a,b&port=1,x', 'for each host'],
    ['postgresql://u:hunter2@a,b/db?target_session_attrs=master', 'read-write'],
    ['postgresql://u:hunter2@a,b/db?load_balance_hosts=random', 'load_balance_hosts'],
  ])('%s is refused, and its password is not repeated', (text, why) => {
    expect(() => parseDatabaseUrl(text)).toThrow(DatabaseUrlError)
    expect(() => parseDatabaseUrl(text)).toThrow(why)
    expect(() => parseDatabaseUrl(text)).not.toThrow('hunter2')
  })
})
