import { type WalletAddress } from '@juicebar/contract/addresses'
import { type EndpointName } from '@juicebar/contract/endpoints'
import { CHALLENGE_HEADER, isSignedCall, SIGNATURE_HEADER } from '@juicebar/contract/endpoints/signed'
import { Failure } from '@juicebar/contract/errors'
import { type Scope } from '@juicebar/contract/scopes'
import { type FastifyRequest } from 'fastify'

import { type LimitChecks } from './rate-limits.ts'
import { sentBody } from './sent-body.ts'
import { requireScope, type StaffMember, type StudioKey } from './studio-key-check.ts'

/** A call that needs a fresh signature, as it arrived. */
export interface SignedRequest {
  wallet: WalletAddress
  /** Method and path, with its query. */
  call: string
  /** Empty if it has none. */
  body: string
  /** The headers; undefined if they are missing. */
  challenge: string | undefined
  signature: string | undefined
}

export interface StaffLookup {
  /** What a wallet may do as the studio; undefined if it is not on the staff. */
  find(wallet: WalletAddress): Promise<StaffMember | undefined>
  /** Throws `Failure` CHALLENGE_NEEDED and the other codes that begin so, unless the wallet has signed this call. */
  checkSignature(signed: SignedRequest): Promise<void>
}

interface StaffCheckOptions {
  staff: StaffLookup
  /** Returns the wallet of the request's session; throws `Failure` SESSION_ENDED. */
  authenticate: (request: FastifyRequest) => Promise<{ player: WalletAddress }>
  limit: LimitChecks
}

/**
 * Returns a check of a request's session. Like wrong keys, only ended sessions and those of others count by address.
 *
 * The check throws `Failure` SESSION_ENDED; NOT_STAFF; TOO_MANY_REQUESTS.
 */
export function createStaffFinder({ staff, authenticate, limit }: StaffCheckOptions) {
  const findMember = async (request: FastifyRequest) => {
    const { player } = await authenticate(request)
    await limit.caller(request, player)
    const member = await staff.find(player)
    if (!member) throw new Failure('NOT_STAFF')
    return member
  }
  return async (request: FastifyRequest): Promise<StudioKey> => {
    try {
      return await findMember(request)
    } catch (error) {
      if (error instanceof Failure && (error.code === 'SESSION_ENDED' || error.code === 'NOT_STAFF')) await limit.address(request)
      throw error
    }
  }
}

interface ArrivedCall {
  name: EndpointName
  key: StudioKey
  needed: readonly Scope[]
  staff: StaffLookup | undefined
}

/**
 * The checks of a staff call once it has fully arrived: its sender may have been removed while the body was arriving, and some calls need a
 * signature. Returns what the caller may do now; calls with keys need none of this.
 *
 * Throws `Failure` NOT_STAFF; INSUFFICIENT_SCOPE; CHALLENGE_NEEDED and the other codes that begin so.
 */
export async function confirmCaller(request: FastifyRequest, { name, key, needed, staff }: ArrivedCall): Promise<StudioKey> {
  if (key.kind !== 'staff' || !staff) return key
  const { wallet } = key
  const current = arrivesWithHeaders(request) ? key : await staff.find(wallet)
  if (!current) throw new Failure('NOT_STAFF')
  requireScope(current, needed)
  if (isSignedCall(name)) {
    await staff.checkSignature({
      wallet,
      call: `${request.method} ${request.url}`,
      body: sentBody(request),
      challenge: header(request, CHALLENGE_HEADER),
      signature: header(request, SIGNATURE_HEADER),
    })
  }
  return current
}

/** Nothing follows the headers. Even an empty body may be long in coming. */
function arrivesWithHeaders({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

function header({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
