import Type from 'typebox'

import { PurchaseSchema } from './buying/purchase.ts'
import { type CallSchema, chainFailures } from './call.ts'
import { CaseSchema } from './cases.ts'
import { closed, idParams, RequiredText } from './fields.ts'
import { restrictionCalls } from './restrictions.ts'
import { auditCalls } from './studio/audits.ts'
import { keyCalls } from './studio/keys.ts'
import { logCalls } from './studio/log.ts'
import { orderCalls } from './studio/orders.ts'
import { studioPurchaseCalls } from './studio/purchases.ts'
import { recoveryCalls } from './studio/recoveries.ts'
import { salesCalls } from './studio/sales.ts'
import { staffCalls } from './studio/staff.ts'
import { statsCalls } from './studio/stats.ts'

export const studioCalls = {
  ...orderCalls,
  ...keyCalls,
  ...staffCalls,
  ...logCalls,
  closeCase: {
    summary: 'Close a case with a note for buyer and seller',
    body: Type.Object(
      {
        caseId: RequiredText('a case identifier', 64, { description: 'The case' }),
        note: RequiredText('what was done, for both sides to read', 1000, { description: 'What was done, for both sides to read' }),
      },
      { ...closed, title: 'CaseClosure' },
    ),
    response: { 200: Type.Object({ case: CaseSchema }) },
    failures: ['CASE_NOT_FOUND', 'CASE_NOT_OPEN'],
  },
  releasePurchase: {
    summary: 'Release a hold that nobody can prove to be unpaid, with a reason for buyer and seller',
    description:
      'Only once no payment can land any more and every chain endpoint has shown that it can never prove that none has landed; else `NOT_RELEASABLE`, with what speaks against it. A payment that turns up later is still delivered, or becomes a case.',
    params: idParams('The purchase'),
    body: Type.Object(
      { reason: RequiredText('why it is released, for both sides to read', 1000, { description: 'Why, for both sides to read' }) },
      { ...closed, title: 'Release' },
    ),
    response: { 200: Type.Object({ purchase: PurchaseSchema }) },
    failures: ['PURCHASE_NOT_FOUND', 'NOT_RELEASABLE', ...chainFailures],
  },
  ...salesCalls,
  ...studioPurchaseCalls,
  ...statsCalls,
  ...auditCalls,
  ...recoveryCalls,
  ...restrictionCalls,
} as const satisfies Record<string, CallSchema>
