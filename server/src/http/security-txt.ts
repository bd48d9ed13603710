import { readFile } from 'node:fs/promises'

import { type FastifyInstance } from 'fastify'

const DAY_MILLIS = 24 * 60 * 60 * 1000
/**
 * A server that has not been restarted for this long has missed security updates of Node.js, which come every few months, so the contact
 * may be out of date, too. RFC 9116 recommends less than a year.
 */
const VALID_DAYS = 180

const policyPath = '/security-policy.txt'
const plainText = 'text/plain; charset=utf-8'

export interface SecurityTxtOptions {
  publicOrigin: string
  /** A URI to report vulnerabilities to; without one, `security.txt` points to the policy. */
  contact: string | undefined
  /** The policy's text; undefined where there is none. */
  policyFile: string | undefined
}

/** Serves `/.well-known/security.txt` (RFC 9116) and the policy that it names. Without a contact and a policy, it serves neither. */
export async function registerSecurityTxt(fastify: FastifyInstance, options: SecurityTxtOptions): Promise<void> {
  const { publicOrigin, contact, policyFile } = options
  const policy = policyFile === undefined ? undefined : await readFile(policyFile, 'utf8')
  const policyUrl = policy === undefined ? undefined : `${publicOrigin}${policyPath}`
  const firstContact = contact ?? policyUrl
  if (firstContact === undefined) return

  const lines = [
    `Contact: ${firstContact}`,
    `Expires: ${new Date(Date.now() + VALID_DAYS * DAY_MILLIS).toISOString()}`,
    ...(policyUrl === undefined ? [] : [`Policy: ${policyUrl}`]),
    `Canonical: ${publicOrigin}/.well-known/security.txt`,
  ]
  servePlainText(fastify, '/.well-known/security.txt', `${lines.join('\n')}\n`)
  if (policy !== undefined) servePlainText(fastify, policyPath, policy)
}

function servePlainText(fastify: FastifyInstance, url: string, text: string): void {
  fastify.get(url, { schema: { hide: true } }, async (_request, reply) =>
    reply.type(plainText).header('cache-control', 'no-cache').send(text),
  )
}
