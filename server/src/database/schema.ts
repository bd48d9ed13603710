// The tables as the query builder knows them: written by `npm run schema`, which a test compares with a migrated database.

import type { Signature, WalletAddress } from "@juicebar/contract/addresses";
import type { TokenType } from "@juicebar/contract/catalogue";
import type { MarketEventType } from "@juicebar/contract/events";
import type { Lamports } from "@juicebar/contract/money";
import type { CaseKind, CaseStatus, EndReason, ListingStatus, PurchaseStatus, WebhookEvent } from "@juicebar/contract/schemas";
import type { ColumnType } from "kysely";

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export type Json = JsonValue;

export type JsonArray = JsonValue[];

export type JsonObject = {
  [x: string]: JsonValue | undefined;
};

export type JsonPrimitive = boolean | number | string | null;

export type JsonValue = JsonArray | JsonObject | JsonPrimitive;

export type Numeric = ColumnType<string, number | string, number | string>;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface Alerts {
  /**
   * What one may cost at most; compared with unit_lamports.
   */
  belowLamports: bigint;
  createdAt: Generated<Date>;
  firedAt: Date | null;
  /**
   * What one cost at that moment.
   */
  firedLamports: bigint | null;
  id: Generated<string>;
  tokenType: string;
  walletAddress: string;
}

export interface Audits {
  checked: Generated<number>;
  cleanAt: Generated<Date>;
  cleanId: Generated<string>;
  createdAt: Generated<Date>;
  cursorAt: Generated<Date>;
  cursorId: Generated<string>;
  earlierChain: Generated<number>;
  failures: Generated<number>;
  finishedAt: Date | null;
  id: Generated<string>;
  isClean: Generated<boolean>;
  isFull: boolean;
  leaseId: string | null;
  leaseUntil: Generated<Date>;
  part: Generated<'ledger' | 'unfinalized' | 'finalized'>;
  purchases: unknown | null;
  /**
   * Whose key or wallet. Null of those that nobody has started by a call, or an older server has.
   */
  startedBy: string | null;
  startsAt: Generated<Date>;
  startsId: Generated<string>;
  tokens: unknown | null;
  total: number;
  unchecked: Generated<unknown>;
  uncheckedCount: Generated<number>;
  verified: Generated<number>;
  verifiedBefore: number;
  violationCount: Generated<number>;
  violations: Generated<unknown>;
}

export interface Balances {
  /**
   * The upper bound keeps every balance exact in a JSON number.
   */
  amount: bigint;
  tokenType: TokenType;
  walletAddress: WalletAddress;
}

export interface Blocks {
  actor: string;
  reason: string;
  since: Generated<Date>;
  /**
   * The wallet's listings go back to it, those that are held as soon as their hold has ended unpaid.
   */
  takesListings: boolean;
  until: Date | null;
  walletAddress: WalletAddress;
}

export interface Candles {
  amount: bigint;
  close: bigint;
  high: bigint;
  /**
   * What was paid in all, without fees. In numeric, as the sum of the highest prices is no bigint.
   */
  lamports: Numeric;
  low: bigint;
  open: bigint;
  start: Date;
  step: string;
  tokenType: TokenType;
  trades: bigint;
}

export interface CandlesHead {
  onlyRow: Generated<boolean>;
  ordinal: bigint;
}

export interface Cases {
  /**
   * Who paid, of a case without a purchase: lost, because the database has lost the purchase.
   */
  buyer: WalletAddress | null;
  closedAt: Date | null;
  /**
   * Only a payment of the exact amount that carries the purchase's reference may still be delivered.
   */
  deliverable: boolean;
  /**
   * The fee that the same transaction paid, which the studio owes to the buyer. In the first case of a transaction only.
   */
  feeLamports: Generated<bigint>;
  /**
   * Of a lost case: the chain that shows the payment.
   */
  genesisHash: string | null;
  id: Generated<string>;
  /**
   * late: landed after the hold had ended. wrong: another amount or form than agreed. double: a second payment for one purchase.
   * vanished: the chain dropped a payment for which tokens had moved.
   */
  kind: CaseKind;
  lamports: Lamports;
  note: string | null;
  openedAt: Generated<Date>;
  /**
   * Of a lost case: the slot of the payment. No refund is older.
   */
  paidAtSlot: bigint | null;
  /**
   * False while the chain may still drop the payment: its seller cannot refund it yet. True of one too small to be followed.
   */
  paymentFinal: Generated<boolean>;
  purchaseId: string | null;
  /**
   * As purchases.reconcile_at.
   */
  reconcileAt: Date | null;
  /**
   * While set, a prepared refund may still land, up to this block height, and the listing is not delivered.
   */
  refundExpiryHeight: bigint | null;
  /**
   * Set when a refund is first prepared, and kept: the seller's wallet may sign and send it much later, with another blockhash.
   */
  refundReference: WalletAddress | null;
  /**
   * Who received the SOL and can return it. Null: the transaction paid nobody but the fee wallet.
   */
  seller: WalletAddress | null;
  signature: Signature;
  status: Generated<CaseStatus>;
}

export interface ChainSlots {
  genesisHash: string;
  seenAt: Generated<Date>;
  slot: bigint;
}

export interface Checkouts {
  amount: bigint;
  clientReference: string | null;
  createdAt: Generated<Date>;
  /**
   * Whose key or wallet made it.
   */
  createdBy: string;
  expiresAt: Date;
  id: Generated<string>;
  idempotencyKey: string;
  /**
   * Of the studio keys that share idempotency keys.
   */
  keyNamespace: string;
  /**
   * The most that it may cost, the fee included; null without a limit.
   */
  maxLamports: bigint | null;
  /**
   * When its page was first opened.
   */
  openedAt: Date | null;
  publicId: string;
  /**
   * The purchase that pays for it, or has paid, which refers to it in turn.
   */
  purchaseId: string | null;
  request: Json;
  returnUrl: string;
  /**
   * An open one whose time is over has expired, although this says so up to a second later.
   */
  status: Generated<string>;
  tokenType: string;
  /**
   * The only wallet that may pay; null for any.
   */
  wallet: string | null;
}

export interface CoSignerHistories {
  coSigner: string;
  /**
   * The signature down to which the search under way has decided. Null at its beginning.
   */
  decidedTo: string | null;
  /**
   * Everything up to this slot is decided. Null before the first search.
   */
  doneSlot: bigint | null;
  /**
   * When to go on. A server that does so moves it on, so that no other does at the same time.
   */
  dueAt: Generated<Date>;
  genesisHash: string;
  /**
   * Up to which slot the search under way decides, the newest first. Null between two searches.
   */
  topSlot: bigint | null;
}

export interface DatabaseIdentity {
  /**
   * Which files they were, of a built-in database: a copy has others.
   */
  files: string | null;
  identity: string;
  onlyRow: Generated<boolean>;
}

export interface Events {
  /**
   * The wallets whose streams carry the event; null for all streams.
   */
  audience: string[] | null;
  createdAt: Generated<Date>;
  /**
   * The event as the stream sends it, its type included.
   */
  data: unknown;
  id: Generated<bigint>;
  type: MarketEventType;
  xid: Generated<string>;
}

export interface Heartbeat {
  beatAt: Date;
  onlyRow: Generated<boolean>;
}

export interface HistorySearches {
  address: string;
  /**
   * No signature pays.
   */
  decided: boolean;
  /**
   * This signature and all newer ones do not pay.
   */
  decidedTo: Signature | null;
  endpoint: string;
  firstSlot: bigint | null;
  /**
   * The list reaches back to the hold.
   */
  listed: boolean;
  /**
   * The oldest signature listed so far.
   */
  listedTo: Signature | null;
  /**
   * Why this endpoint can never prove that no payment came. pruned: it keeps no blocks before first_slot, which is after the hold. too_many_pages: the address has more signatures than are searched. An endpoint that does not answer is none.
   */
  obstacle: 'pruned' | 'too_many_pages' | null | null;
  pages: number;
  purchaseId: string;
  updatedAt: Generated<Date>;
}

export interface LedgerEntries {
  account: string | null;
  amount: bigint | null;
  tokenType: string | null;
  transferId: bigint | null;
}

export interface ListingKeys {
  /**
   * The price to which the key has changed the listing; null if the key has created it.
   */
  changedLamports: bigint | null;
  createdAt: Generated<Date>;
  idempotencyKey: string;
  listingId: string;
  seller: string;
}

export interface Listings {
  /**
   * While the listing is active, these tokens are in escrow here.
   */
  amount: bigint;
  /**
   * When it left the market; of a part, when it was split off without entering it.
   */
  closedAt: Date | null;
  createdAt: Generated<Date>;
  /**
   * Buyers may take a part. Each drink then costs at least a lamport, so that every part has a price, and so has the rest.
   */
  divisible: Generated<boolean>;
  /**
   * The purchase that holds the listing.
   */
  heldBy: string | null;
  /**
   * When the payment window of that purchase closes.
   */
  heldUntil: Date | null;
  id: Generated<string>;
  /**
   * The listing that this part was split from.
   */
  partOf: string | null;
  /**
   * How much was left when its seller last changed the price; null while it has its first one.
   */
  pricedAmount: bigint | null;
  /**
   * When that was.
   */
  pricedAt: Date | null;
  /**
   * As priced_amount, its new price.
   */
  pricedLamports: bigint | null;
  priceLamports: Lamports;
  /**
   * The listing as replies and events carry it, rendered on write: rendering fifty rows on every read would cost more than the rest of a market page. That of a closed listing may lack fields that were added since: it is rendered when it is read.
   */
  replyJson: Generated<string>;
  seller: WalletAddress;
  /**
   * reserved: a part that a purchase holds and that has no card on the market. merged: a part that went back to the listing it was split from.
   */
  status: Generated<ListingStatus | "reserved" | "merged">;
  tokenType: TokenType;
  unitLamports: Generated<Numeric>;
  /**
   * The purchase that holds the listing is unprovable. Cleared with the hold.
   */
  waitsForStudio: Generated<boolean>;
  /**
   * What the seller listed, of a listing that was split or whose price was changed; null until then. The rest and the parts add up to it.
   */
  wholeAmount: bigint | null;
  /**
   * As whole_amount, its price.
   */
  wholeLamports: bigint | null;
}

export interface Outages {
  beganAt: Date;
  endedAt: Date;
}

export interface Pauses {
  actor: string;
  isNow: Generated<boolean>;
  message: string;
  since: Generated<Date>;
}

export interface PayLinkHolds {
  account: string;
  linkId: string;
  listingId: string;
  maker: Buffer;
  makerWallet: string | null;
  purchaseId: string;
}

export interface PayLinks {
  amount: bigint;
  createdAt: Generated<Date>;
  expiresAt: Date;
  id: Generated<string>;
  listingId: string;
  /**
   * The network that the link was made from, as a keyed hash.
   */
  maker: Buffer;
  /**
   * Who made it; null if nobody was signed in.
   */
  makerWallet: string | null;
  mostLamports: bigint;
  /**
   * The hold that it placed last.
   */
  purchaseId: string | null;
  tokenHash: Buffer;
}

export interface Payments {
  caseId: string | null;
  confirmedAt: Date | null;
  createdAt: Generated<Date>;
  /**
   * Above this block height the transaction can no longer land.
   */
  expiryHeight: bigint;
  genesisHash: string;
  kind: 'purchase' | 'refund';
  /**
   * SHA-256 of the message that its signers sign, of a co-signed payment: its buyer can make many signatures of one message, but it is one payment.
   */
  messageHash: Buffer | null;
  /**
   * Null for the refund of a case whose purchase is lost.
   */
  purchaseId: string | null;
  signature: Signature;
  slot: bigint | null;
  /**
   * recorded: broadcast until it lands or expires. settled: it counted. void: it expired, it landed and did not count, or another payment of its purchase counted.
   */
  status: 'recorded' | 'settled' | 'void';
  transactionBytes: Buffer;
}

export interface Players {
  createdAt: Generated<Date>;
  walletAddress: WalletAddress;
}

export interface PurchaseItems {
  amount: bigint;
  /**
   * The row that is held and sold: a whole listing, or the part that was split off for this purchase.
   */
  listingId: string;
  /**
   * The listing that the part was split from; null for a whole listing.
   */
  partOf: string | null;
  place: number;
  priceLamports: Lamports;
  purchaseId: string;
  seller: WalletAddress;
  tokenType: TokenType;
}

export interface Purchases {
  /**
   * When the payment window would have closed without outages. Null: none has extended it.
   */
  agreedPayBefore: Date | null;
  buyer: WalletAddress;
  /**
   * How often the buyer's own transactions were searched for the payment.
   */
  buyerScans: Generated<number>;
  cancelRequested: Generated<boolean>;
  /**
   * The checkout that it was reserved for, or held.
   */
  checkoutId: string | null;
  /**
   * Only the market can send the payment, since it signs last. Everything is reserved from the moment at which the bytes are recorded.
   */
  coSigned: Generated<boolean>;
  createdAt: Generated<Date>;
  /**
   * Of the transactions that name the reference, up to which one, the oldest first, it is decided whether they pay for it. Null while they are few.
   */
  decidedTo: string | null;
  endedAt: Date | null;
  endReason: EndReason | null;
  /**
   * The studio's rate when the hold was placed.
   */
  feeBasisPoints: Generated<number>;
  feeLamports: Generated<bigint>;
  /**
   * Who receives the fee; null if there is none to pay.
   */
  feeWallet: WalletAddress | null;
  finalizedAt: Date | null;
  /**
   * Of a hold: when a server last went to read the balance of its buyer.
   */
  fundsReadAt: Date | null;
  /**
   * The chain that the payment belongs on.
   */
  genesisHash: string;
  /**
   * A slot that the chain had reached when the hold was placed: an earlier transfer cannot be its payment.
   */
  heldAtSlot: bigint;
  id: Generated<string>;
  /**
   * Down to which of those transactions the list was followed without reaching the decided ones. Null to begin with the newest.
   */
  listedTo: string | null;
  /**
   * Only a payment that carries the reference counts, as the setting was when it was held.
   */
  needsReference: Generated<boolean>;
  /**
   * Of a hold of a wallet that had never completed a purchase: a keyed hash of where it came from.
   */
  network: Buffer | null;
  /**
   * When the payment window closes; of a co-signed purchase, when it was reserved.
   */
  payBefore: Date;
  /**
   * The sum of its items. The buyer pays the fee on top.
   */
  priceLamports: Lamports;
  /**
   * When a server next reconciles the purchase with the chain. While one does, the end of its lease. Null: never.
   */
  reconcileAt: Generated<Date | null>;
  reconciledAt: Date | null;
  reconciliations: Generated<number>;
  /**
   * A public key made for this purchase alone. The payment carries it, so that it can be found on the chain and told apart from others.
   */
  reference: WalletAddress;
  /**
   * Once the finalized chain is above this block height, no payment signed inside the payment window can land any more. Set after the window has closed.
   */
  releaseHeight: bigint | null;
  /**
   * Why the studio released the hold, in words for buyer and seller.
   */
  releaseReason: string | null;
  /**
   * Who is paid, each once, in the order of the items.
   */
  sellers: WalletAddress[];
  /**
   * True: only this product's servers broadcast the payment. False: the buyer's wallet may do so too.
   */
  serverSends: boolean;
  settledAt: Date | null;
  /**
   * Of a hold: when its buyer's balance was last read, if that was too little for it.
   */
  shortAt: Date | null;
  /**
   * The payment that settled the purchase.
   */
  signature: Signature | null;
  status: Generated<PurchaseStatus>;
  /**
   * Its buyer has seen to it that it was not paid: of a co-signed purchase, the SOL was gone or the blockhash was too old soon after the bytes were recorded, or the SOL was gone when they expired; of a hold, its payment window was closed because the SOL was gone.
   */
  unfunded: Generated<boolean>;
  /**
   * Since when every endpoint has an obstacle in history_searches, so that only the studio can end the hold. Null: the chain may still prove that no payment came.
   */
  unprovableAt: Date | null;
}

export interface Pushes {
  createdAt: Generated<Date>;
  id: Generated<string>;
  kind: string;
  /**
   * Of an alert what one cost, in lamports; of a sale how many were sold.
   */
  quantity: bigint;
  sessionId: string;
  tokenType: string;
}

export interface PushesHead {
  onlyRow: Generated<boolean>;
  ordinal: bigint;
}

export interface PushKeys {
  createdAt: Generated<Date>;
  onlyRow: Generated<boolean>;
  privateKey: string;
  publicKey: string;
}

export interface PushSubscriptions {
  /**
   * Before that, nothing is sent: an attempt is under way, or the one before failed.
   */
  attemptAt: Generated<Date>;
  auth: string;
  createdAt: Generated<Date>;
  /**
   * Of the browser's push service. Whoever knows it and the keys can show messages there.
   */
  endpoint: string;
  /**
   * Since the last push that was taken. Raised when an attempt begins, so that one during which a server is killed counts.
   */
  failedAttempts: Generated<number>;
  p256dh: string;
  sessionId: string;
  walletAddress: string;
}

export interface Recoveries {
  /**
   * Of the finalized chain, while it waits for expiry_height.
   */
  blockHeight: bigint | null;
  casesOpened: Generated<number>;
  createdAt: Generated<Date>;
  expiryHeight: bigint | null;
  failures: Generated<number>;
  /**
   * Who has received fees, besides the sellers.
   */
  feeWallets: string[];
  finishedAt: Date | null;
  genesisHash: string | null;
  id: Generated<string>;
  /**
   * Wallets up to this one, in their order, are listed.
   */
  lastWallet: Generated<string>;
  leaseId: string | null;
  leaseUntil: Generated<Date>;
  limits: Generated<unknown>;
  /**
   * The database was written at this slot or later: an endpoint must keep at least what has landed since.
   */
  neededSlot: bigint | null;
  /**
   * waiting: until nothing can land any more that was signed before. listing: the transactions of each wallet. reading: these transactions.
   */
  part: Generated<string>;
  /**
   * Payments found that carry a reference of ours.
   */
  payments: Generated<number>;
  /**
   * Refunds found that the database does not know: the first of them.
   */
  refunds: Generated<unknown>;
  /**
   * How many refunds were found that the database does not know.
   */
  refundsCount: Generated<number>;
  rewindId: string;
  /**
   * Up to then the database knows everything.
   */
  since: Date;
  /**
   * A slot before the first payment that can be missing. Null until the chain was asked.
   */
  sinceSlot: bigint | null;
  transactions: Generated<number>;
  transactionsRead: Generated<number>;
  unchecked: Generated<unknown>;
  uncheckedCount: Generated<number>;
  wallets: Generated<number>;
  walletsListed: Generated<number>;
}

export interface RecoverySignatures {
  recoveryId: string;
  signature: string;
}

export interface RefundsSeen {
  caseId: string;
  /**
   * Above this block height it can no longer land if the chain drops it.
   */
  expiryHeight: bigint;
  seenAt: Generated<Date>;
  signature: Signature;
}

export interface RefusedPayments {
  buyer: string;
  /**
   * The checkout that it should have paid for.
   */
  checkoutId: string | null;
  code: string;
  detail: string | null;
  /**
   * Above this block height the transaction can no longer land.
   */
  expiryHeight: bigint;
  listingId: string | null;
  messageHash: Buffer;
  reference: string;
  refusedAt: Generated<Date>;
}

export interface Rewinds {
  /**
   * restored: a server started on another database than before. lost: a running server missed what it had read. asked: by the studio.
   */
  cause: string;
  endedAt: Date | null;
  endedBy: string | null;
  /**
   * Above this block height nothing can land any more that was signed before the first recovery began.
   */
  expiryHeight: bigint | null;
  foundAt: Generated<Date>;
  id: Generated<string>;
}

export interface Sales {
  amount: bigint;
  buyer: WalletAddress;
  /**
   * The checkout that it was sold through; null for a sale in the market.
   */
  checkoutId: string | null;
  /**
   * What the game calls that checkout.
   */
  clientReference: string | null;
  feeBasisPoints: number;
  /**
   * Its share of the fee: by how much it raises the fee of the items before it, rounded down.
   */
  feeLamports: bigint;
  isReversal: boolean;
  listingId: string;
  ordinal: bigint;
  place: number;
  priceLamports: bigint;
  purchaseId: string;
  seller: WalletAddress;
  /**
   * Of a reversal: when the server found out.
   */
  settledAt: Date;
  signature: Signature;
  /**
   * The same for all that was stamped together. Cursors carry it: after a restore, an ordinal that is given again has another time.
   */
  stampedAt: Date;
  tokenType: TokenType;
}

export interface SalesHead {
  onlyRow: Generated<boolean>;
  ordinal: bigint;
}

export interface SalesToStamp {
  id: Generated<bigint>;
  isReversal: boolean;
  notedAt: Generated<Date>;
  purchaseId: string;
}

export interface Sellers {
  seller: WalletAddress;
}

export interface Sessions {
  createdAt: Generated<Date>;
  expiresAt: Date;
  id: string;
  revokedAt: Date | null;
  walletAddress: WalletAddress;
}

export interface SignInNonces {
  expiresAt: Date;
  nonce: string;
  walletAddress: WalletAddress;
}

export interface SmallPayments {
  caseId: string;
  feeLamports: bigint;
  lamports: bigint;
  signature: string;
}

export interface StudioChallenges {
  bodyHash: Buffer;
  call: string;
  expiresAt: Date;
  id: string;
  message: string;
  usedAt: Date | null;
  walletAddress: string;
}

export interface StudioKeyDays {
  credited: bigint;
  day: Timestamp;
  keyId: string;
}

export interface StudioKeys {
  createdAt: Generated<Date>;
  createdBy: string;
  dailyCreditLimit: bigint | null;
  expiresAt: Date | null;
  id: Generated<string>;
  lastUsedAt: Date | null;
  /**
   * The key that made it. Null if that was STUDIO_API_KEY or one of the staff, or if it was made before this was recorded.
   */
  makerId: string | null;
  name: string;
  /**
   * Whose idempotency keys its orders have: those of the key that it replaces. Null: its own if it has a daily limit, otherwise those that all share.
   */
  namespace: string | null;
  revokedAt: Date | null;
  scopes: string[];
  secretHash: Buffer;
}

export interface StudioLog {
  actor: string;
  call: string;
  createdAt: Generated<Date>;
  id: Generated<bigint>;
  reason: string | null;
  subject: string;
  transferId: bigint | null;
}

export interface StudioStaff {
  name: string | null;
  removedAt: Date | null;
  scopes: string[];
  setAt: Generated<Date>;
  setBy: string;
  walletAddress: string;
}

export interface TokenRules {
  maxDailyLamports: bigint | null;
  maxListings: number | null;
  maxUnitLamports: bigint | null;
  minUnitLamports: bigint | null;
  tokenType: TokenType;
}

export interface TokenTypes {
  /**
   * When a server first had it in its catalogue; null for those of the three drinks that no server has had yet.
   */
  firstSeenAt: Date | null;
  name: string;
  tokenType: TokenType;
}

export interface Trades {
  amount: bigint | null;
  place: number | null;
  priceLamports: bigint | null;
  purchaseId: string | null;
  settledAt: Date | null;
  signature: Signature | null;
  tokenType: TokenType | null;
  unitLamports: bigint | null;
}

export interface Transfers {
  amount: bigint;
  createdAt: Generated<Date>;
  id: Generated<bigint>;
  idempotencyKey: string | null;
  kind: 'credit' | 'debit' | 'escrow' | 'return' | 'sale';
  listingId: string | null;
  /**
   * Where the idempotency key of a credit or debit is known: empty for those that all keys without a daily limit share. Null: everywhere, since it was posted before there were any.
   */
  namespace: string | null;
  /**
   * The listing that the part listing_id is split from or merges into.
   */
  parentId: string | null;
  tokenType: TokenType;
  walletAddress: WalletAddress;
}

export interface UnmatchedPayments {
  openedAt: Generated<Date>;
  ordinal: bigint;
  signature: string;
}

export interface WebhookDeliveries {
  /**
   * The beginning of its body.
   */
  answer: string;
  attempt: number;
  error: string | null;
  id: Generated<bigint>;
  latencyMillis: number;
  messageId: string;
  sentAt: Date;
  /**
   * Null if there was no answer: then error says why.
   */
  status: number | null;
  type: WebhookEvent;
  webhookId: string;
}

export interface WebhookMessages {
  body: string;
  createdAt: Generated<Date>;
  /**
   * Sent as webhook-id.
   */
  id: Generated<string>;
  ordinal: Generated<bigint>;
  type: WebhookEvent;
}

export interface WebhookOutbox {
  createdAt: Generated<Date>;
  id: Generated<bigint>;
  /**
   * What of it may have changed when it is read: a listing as replies carry it, the state of a case.
   */
  snapshot: unknown | null;
  /**
   * The purchase, the listing, the case or the checkout.
   */
  subject: string;
  type: WebhookEvent;
}

export interface Webhooks {
  /**
   * When that message is tried again; null for at once.
   */
  attemptAt: Date | null;
  createdAt: Generated<Date>;
  /**
   * The ordinal of the last message that was delivered, or skipped.
   */
  deliveredTo: bigint;
  enabled: Generated<boolean>;
  /**
   * The types of the messages that it gets.
   */
  events: WebhookEvent[];
  /**
   * At the oldest message that is not delivered.
   */
  failedAttempts: Generated<number>;
  id: Generated<string>;
  leaseId: string | null;
  /**
   * Until then one server delivers, and no other does.
   */
  leaseUntil: Generated<Date>;
  /**
   * Raised by each call that changes where the queue stands: what a server reports of the time before no longer counts.
   */
  replays: Generated<number>;
  /**
   * Why it is not enabled. asked: by the studio. gone: its receiver answered 410. failed: ten attempts at one message failed.
   */
  switchedOff: 'asked' | 'gone' | 'failed' | null | null;
  url: string;
}

export interface WebhookSecrets {
  /**
   * Null for the newest; the others are valid for 24 hours after the next was made.
   */
  expiresAt: Date | null;
  id: Generated<bigint>;
  secret: string;
  webhookId: string;
}

export interface DB {
  alerts: Alerts;
  audits: Audits;
  balances: Balances;
  blocks: Blocks;
  candles: Candles;
  candlesHead: CandlesHead;
  cases: Cases;
  chainSlots: ChainSlots;
  checkouts: Checkouts;
  coSignerHistories: CoSignerHistories;
  databaseIdentity: DatabaseIdentity;
  events: Events;
  heartbeat: Heartbeat;
  historySearches: HistorySearches;
  ledgerEntries: LedgerEntries;
  listingKeys: ListingKeys;
  listings: Listings;
  outages: Outages;
  pauses: Pauses;
  payLinkHolds: PayLinkHolds;
  payLinks: PayLinks;
  payments: Payments;
  players: Players;
  purchaseItems: PurchaseItems;
  purchases: Purchases;
  pushes: Pushes;
  pushesHead: PushesHead;
  pushKeys: PushKeys;
  pushSubscriptions: PushSubscriptions;
  recoveries: Recoveries;
  recoverySignatures: RecoverySignatures;
  refundsSeen: RefundsSeen;
  refusedPayments: RefusedPayments;
  rewinds: Rewinds;
  sales: Sales;
  salesHead: SalesHead;
  salesToStamp: SalesToStamp;
  sellers: Sellers;
  sessions: Sessions;
  signInNonces: SignInNonces;
  smallPayments: SmallPayments;
  studioChallenges: StudioChallenges;
  studioKeyDays: StudioKeyDays;
  studioKeys: StudioKeys;
  studioLog: StudioLog;
  studioStaff: StudioStaff;
  tokenRules: TokenRules;
  tokenTypes: TokenTypes;
  trades: Trades;
  transfers: Transfers;
  unmatchedPayments: UnmatchedPayments;
  webhookDeliveries: WebhookDeliveries;
  webhookMessages: WebhookMessages;
  webhookOutbox: WebhookOutbox;
  webhooks: Webhooks;
  webhookSecrets: WebhookSecrets;
}
