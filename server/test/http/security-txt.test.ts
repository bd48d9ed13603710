import { fastify as createFastify } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'

import { registerSecurityTxt, type SecurityTxtOptions } from '../../src/http/security-txt.ts'
import { readText, root } from '../docs/repository.ts'

const publicOrigin = 'https://market.example'
const policyFile = `${root}/SECURITY.md`
const path = '/.well-known/security.txt'

async function serve(options: Partial<SecurityTxtOptions>) {
  const fastify = createFastify()
  onTestFinished(() => fastify.close())
  await registerSecurityTxt(fastify, { publicOrigin, contact: undefined, policyFile: undefined, ...options })
  return fastify
}

/** The fields of a `security.txt`, in their order. */
function fieldsOf(text: string): [name: string, value: string][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/: (.*)/s) as [string, string])
}

describe('security.txt', () => {
  it('names the contact of the market, is plain text, and expires in less than a year', async () => {
    const fastify = await serve({ contact: 'mailto:security@studio.example', policyFile })
    const reply = await fastify.inject(path)
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    const fields = new Map(fieldsOf(reply.body))
    expect([...fields.keys()]).toEqual(['Contact', 'Expires', 'Policy', 'Canonical'])
    expect(fields.get('Contact')).toBe('mailto:security@studio.example')
    expect(fields.get('Canonical')).toBe(`${publicOrigin}${path}`)
    const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(179)
    expect(days).toBeLessThan(365)
  })

  it('points to the policy if no contact is set, and the policy is there', async () => {
    const fastify = await serve({ policyFile })
    const [[name, contact] = []] = fieldsOf((await fastify.inject(path)).body)
    expect([name, contact]).toEqual(['Contact', `${publicOrigin}/security-policy.txt`])
    expect((await fastify.inject(new URL(contact ?? '').pathname)).body).toBe(await readText('SECURITY.md'))
  })

  it('is not there if there is nothing honest to say', async () => {
    expect((await (await serve({})).inject(path)).statusCode).toBe(404)
  })
})
