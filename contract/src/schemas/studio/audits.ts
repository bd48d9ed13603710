import Type from 'typebox'

import { type CallSchema } from '../call.ts'
import { closed, Id, idParams, lamports, logReason, nextCursor, Nullable, pageOf, Timestamp, TokenTypeSchema } from '../fields.ts'

const TokenAudit = Type.Object(
  {
    tokenType: TokenTypeSchema,
    credited: Type.Integer(),
    debited: Type.Integer(),
    inWallets: Type.Integer(),
    inListings: Type.Integer(),
    balanced: Type.Boolean({ description: 'Whether wallets and listings add up to credits less debits' }),
  },
  { title: 'TokenAudit' },
)

const PurchaseAudit = Type.Object(
  {
    held: Type.Integer(),
    settled: Type.Integer(),
    ended: Type.Integer(),
    openCases: Type.Integer(),
    earlierChain: Type.Integer({ description: 'Purchases made on a local chain that has been restarted since' }),
    verifiedOnChain: Type.Integer({
      description: 'Settled purchases whose payment this audit, or one before it, has read from the chain and verified',
    }),
  },
  { title: 'PurchaseAudit', description: 'How many purchases there are of each kind' },
)

const Violation = Type.Object(
  {
    invariant: Type.String({ description: 'Its number in docs/payments.md' }),
    detail: Type.String({ description: 'What does not add up' }),
  },
  { title: 'Violation' },
)

const Revenue = Type.Object(
  { lamports },
  { title: 'Revenue', description: 'The fees of all settled purchases whose payments the chain has kept' },
)

const violations = Type.Array(Violation, { description: 'The first hundred' })
const unchecked = Type.Array(Type.String(), { description: 'What could not be checked, and why: the first hundred' })

export const AuditReportSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether everything that was checked adds up' }),
    checkedAt: Timestamp('When the audit ended'),
    tokens: Type.Array(TokenAudit),
    purchases: PurchaseAudit,
    revenue: Revenue,
    violations,
    unchecked,
  },
  { title: 'AuditReport' },
)

const summary = {
  id: Id('The audit'),
  status: Type.Enum(['running', 'done'], { title: 'AuditStatus' }),
  full: Type.Boolean({ description: 'Whether every payment is read again, whatever earlier audits verified' }),
  startedAt: Timestamp('When it was started'),
  startedBy: Nullable(Type.String({ description: 'Whose key or wallet started it; null if that is not known' })),
  finishedAt: Nullable(Timestamp('When it ended; null while it is running')),
  progress: Type.Object(
    { checked: Type.Integer(), total: Type.Integer() },
    { title: 'AuditProgress', description: 'How many of the payments that it checks have been checked' },
  ),
  ok: Nullable(
    Type.Boolean({ description: 'False as soon as something does not add up; null while the audit is running and nothing does not' }),
  ),
  violationCount: Type.Integer({ description: 'How many violations there are in all' }),
  uncheckedCount: Type.Integer({ description: 'How much could not be checked in all' }),
}

export const AuditSummarySchema = Type.Object(summary, { title: 'AuditSummary' })

export const AuditSchema = Type.Object(
  {
    ...summary,
    violations,
    unchecked,
    tokens: Type.Array(TokenAudit, { description: 'Empty until the ledger has been checked' }),
    purchases: Nullable(PurchaseAudit),
    revenue: Nullable(Revenue),
  },
  { title: 'Audit' },
)

export const auditCalls = {
  audit: {
    summary: 'Audit the market in one call',
    description:
      'Starts an audit, or joins the one under way, and waits for it, for at most 45 seconds. A large market takes longer: then what is left is listed as unchecked. Start an audit instead, and read it until it is done.',
    response: { 200: AuditReportSchema },
    failures: [],
  },
  startAudit: {
    summary: 'Start an audit: check that all tokens and payments add up',
    description:
      'The ledger is checked as a whole. Payments are read from the chain again from the watermark on that audits before have reached, or all of them with `full`. There is one audit at a time: while one is running, it is returned, and made full if need be. Servers that stop are no matter.',
    body: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object(
          { full: Type.Optional(Type.Boolean({ description: 'Read every payment again' })), reason: logReason },
          { ...closed, title: 'AuditRequest' },
        ),
      ]),
    ),
    response: { 202: Type.Object({ audit: AuditSchema }) },
    failures: [],
  },
  audits: {
    summary: 'List the audits, and what each found',
    description: 'The newest first, whoever started them.',
    querystring: Type.Object(pageOf, closed),
    response: { 200: Type.Object({ audits: Type.Array(AuditSummarySchema), nextCursor }) },
    failures: ['CURSOR_INVALID'],
  },
  readAudit: {
    summary: 'Read the progress and the findings of an audit',
    params: idParams('The audit'),
    response: { 200: Type.Object({ audit: AuditSchema }) },
    failures: ['AUDIT_NOT_FOUND'],
  },
} as const satisfies Record<string, CallSchema>
