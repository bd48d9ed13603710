import { type Static } from 'typebox'

import { type EndpointName } from './endpoints.ts'
import { alertCalls, type AlertSchema } from './schemas/alerts/alert-calls.ts'
import { buyingCalls } from './schemas/buying/buying-calls.ts'
import { payLinkCalls, type PayLinkSchema, type PayLinkStateSchema } from './schemas/buying/pay-links.ts'
import { type endReasons, type PurchaseSchema, type purchaseStatuses } from './schemas/buying/purchase.ts'
import { type CallSchema } from './schemas/call.ts'
import { caseCalls, type caseKinds, type CaseSchema, type caseStatuses } from './schemas/cases.ts'
import {
  type checkoutStatuses,
  type CheckoutAttemptSchema,
  checkoutCalls,
  type CheckoutSchema,
  type PlayerCheckoutSchema,
} from './schemas/checkouts.ts'
import { eventCalls } from './schemas/events.ts'
import { type candleSteps, figureCalls } from './schemas/figures/figure-calls.ts'
import { ledgerCalls, type ledgerKinds } from './schemas/figures/ledger-calls.ts'
import { inventoryCalls } from './schemas/inventory.ts'
import {
  type ListingSchema,
  type listingSorts,
  type listingStatuses,
  marketCalls,
  type OwnListingSchema,
  type RemovedListingsSchema,
  type QuoteSchema,
} from './schemas/market.ts'
import { type BlockSchema, type OwnBlock as OwnBlockSchema, type PauseSchema, type RuleSchema } from './schemas/restrictions.ts'
import { rpcCalls } from './schemas/rpc.ts'
import { signInCalls, type UserSchema } from './schemas/sign-in.ts'
import { type HealthReportSchema, type PublicConfigSchema, statusCalls, type unreadyReasons } from './schemas/status.ts'
import { studioCalls } from './schemas/studio.ts'
import { type AuditReportSchema, type AuditSchema, type AuditSummarySchema } from './schemas/studio/audits.ts'
import { type PlayerSchema, type StudioPurchaseSchema, type TimelineEntrySchema } from './schemas/studio/purchases.ts'
import { type RecoverySchema } from './schemas/studio/recoveries.ts'
import { type SaleSchema } from './schemas/studio/sales.ts'
import { type statsGroups, type StatsRowSchema } from './schemas/studio/stats.ts'
import { webhookCalls, type webhookEvents, type WebhookSchema } from './schemas/webhooks.ts'

/** The calls by the sections of the API document. */
export const sections = [
  { name: 'Status', description: 'Whether the market can be used, and how it is set up', calls: statusCalls },
  { name: 'Signing in', description: 'A wallet signs a message, and gets a session', calls: signInCalls },
  { name: 'Inventory', description: 'The drinks that a player has', calls: inventoryCalls },
  { name: 'Market', description: 'Listings, for everyone to browse and for sellers to manage', calls: marketCalls },
  { name: 'Prices', description: 'What was traded, and what is for sale, in figures', calls: figureCalls },
  { name: 'Alerts', description: 'Players are told of prices and sales, in the page and by Web Push', calls: alertCalls },
  { name: 'Ledger', description: 'What a player bought, sold, was credited and used, and what that earned', calls: ledgerCalls },
  { name: 'Events', description: 'What happens in the market, as it happens', calls: eventCalls },
  { name: 'Buying', description: 'From the hold to the delivered drinks', calls: buyingCalls },
  { name: 'Buying by phone', description: 'A wallet on a phone pays what is on this screen', calls: payLinkCalls },
  {
    name: 'Checkouts',
    description: 'A game sells from its own screens: its server makes a checkout, the player opens it and pays',
    calls: checkoutCalls,
  },
  { name: 'Cases', description: 'Payments that did not end in a delivery', calls: caseCalls },
  { name: 'Studio', description: 'For the studio’s own servers, with its key', calls: studioCalls },
  { name: 'Webhooks', description: 'The studio’s servers are told what happens', calls: webhookCalls },
  { name: 'Chain', description: 'The web app’s way to Solana', calls: rpcCalls },
] as const

/** Everything about every call, by the names of `endpoints`. */
export const schemas = {
  ...statusCalls,
  ...signInCalls,
  ...inventoryCalls,
  ...marketCalls,
  ...figureCalls,
  ...alertCalls,
  ...ledgerCalls,
  ...eventCalls,
  ...buyingCalls,
  ...payLinkCalls,
  ...checkoutCalls,
  ...caseCalls,
  ...studioCalls,
  ...webhookCalls,
  ...rpcCalls,
} as const satisfies Record<EndpointName, CallSchema>

export type Schemas = typeof schemas
export type Listing = Static<typeof ListingSchema>
export type OwnListing = Static<typeof OwnListingSchema>
export type RemovedListings = Static<typeof RemovedListingsSchema>
export type ListingSort = (typeof listingSorts)[number]
export type ListingStatus = (typeof listingStatuses)[number]
export type CandleStep = (typeof candleSteps)[number]
export type Alert = Static<typeof AlertSchema>
export type LedgerKind = (typeof ledgerKinds)[number]
export type Quote = Static<typeof QuoteSchema>
export type Purchase = Static<typeof PurchaseSchema>
export type Checkout = Static<typeof CheckoutSchema>
export type CheckoutStatus = (typeof checkoutStatuses)[number]
export type CheckoutAttempt = Static<typeof CheckoutAttemptSchema>
export type PlayerCheckout = Static<typeof PlayerCheckoutSchema>
export type PurchaseStatus = (typeof purchaseStatuses)[number]
export type EndReason = (typeof endReasons)[number]
export type PayLink = Static<typeof PayLinkSchema>
export type PayLinkState = Static<typeof PayLinkStateSchema>
export type Case = Static<typeof CaseSchema>
export type CaseKind = (typeof caseKinds)[number]
export type CaseStatus = (typeof caseStatuses)[number]
export type Player = Static<typeof PlayerSchema>
export type StudioPurchase = Static<typeof StudioPurchaseSchema>
export type TimelineEntry = Static<typeof TimelineEntrySchema>
export type Sale = Static<typeof SaleSchema>
export type StatsGroup = (typeof statsGroups)[number]
export type StatsRow = Static<typeof StatsRowSchema>
export type Pause = Static<typeof PauseSchema>
export type Block = Static<typeof BlockSchema>
export type OwnBlock = Static<typeof OwnBlockSchema>
export type Rule = Static<typeof RuleSchema>
export type User = Static<typeof UserSchema>
export type PublicConfig = Static<typeof PublicConfigSchema>
export type HealthReport = Static<typeof HealthReportSchema>
export type UnreadyReason = (typeof unreadyReasons)[number]
export type Audit = Static<typeof AuditSchema>
export type AuditSummary = Static<typeof AuditSummarySchema>
export type Recovery = Static<typeof RecoverySchema>
export type Webhook = Static<typeof WebhookSchema>
export type WebhookEvent = (typeof webhookEvents)[number]
export type AuditReport = Static<typeof AuditReportSchema>
