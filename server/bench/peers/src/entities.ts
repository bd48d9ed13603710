import {
  Column,
  CreateDateColumn,
  Entity,
  ManyToOne,
  JoinColumn,
  OneToMany,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm'

/** PostgreSQL's driver returns a bigint as text. */
const lamports = { to: (value: bigint) => value, from: (value: string) => BigInt(value) }

@Entity('players')
export class PlayerRow {
  @PrimaryColumn('text') wallet!: string
  @Column('boolean') blocked!: boolean
}

@Entity('sessions')
export class SessionRow {
  @PrimaryColumn('text', { name: 'token_hash' }) tokenHash!: string
  @Column('text') wallet!: string
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date
}

@Entity('listings')
export class ListingRow {
  @PrimaryColumn('uuid') id!: string
  @Column('text') seller!: string
  @Column('text', { name: 'token_type' }) tokenType!: string
  @Column('integer') amount!: number
  @Column('bigint', { transformer: lamports }) lamports!: bigint
  @Column('text') status!: string
  @Column('uuid', { name: 'held_by', nullable: true }) heldBy!: string | null
  @Column('timestamptz', { name: 'held_until', nullable: true }) heldUntil!: Date | null
  @Column('timestamptz', { name: 'closed_at', nullable: true }) closedAt!: Date | null
}

@Entity('purchases')
export class PurchaseRow {
  @PrimaryColumn('uuid') id!: string
  @Column('text') buyer!: string
  @Column('bigint', { transformer: lamports }) lamports!: bigint
  @Column('text') reference!: string
  @Column('text', { default: 'held' }) status!: string
  @Column('text', { nullable: true }) signature!: string | null
  @Column('timestamptz', { name: 'pay_before' }) payBefore!: Date
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' }) createdAt!: Date
  @Column('timestamptz', { name: 'settled_at', nullable: true }) settledAt!: Date | null
  @OneToMany(() => PurchaseItemRow, (item) => item.purchase) items!: Relation<PurchaseItemRow>[]
}

@Entity('purchase_items')
export class PurchaseItemRow {
  @PrimaryColumn('uuid', { name: 'purchase_id' }) purchaseId!: string
  @PrimaryColumn('integer') place!: number
  @Column('uuid', { name: 'listing_id' }) listingId!: string
  @Column('text') seller!: string
  @Column('text', { name: 'token_type' }) tokenType!: string
  @Column('integer') amount!: number
  @Column('bigint', { transformer: lamports }) lamports!: bigint
  @ManyToOne(() => PurchaseRow, (purchase) => purchase.items)
  @JoinColumn({ name: 'purchase_id' })
  purchase!: Relation<PurchaseRow>
}

@Entity('payments')
export class PaymentRow {
  @PrimaryColumn('text') signature!: string
  @Column('uuid', { name: 'purchase_id' }) purchaseId!: string
  @Column('bigint') slot!: string
  @Column('bytea', { name: 'transaction_bytes' }) transactionBytes!: Buffer
}

@Entity('transfers')
export class TransferRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string
  @Column('text', { name: 'token_type' }) tokenType!: string
  @Column('integer') amount!: number
  @Column('uuid', { name: 'from_listing' }) fromListing!: string
  @Column('text', { name: 'to_wallet' }) toWallet!: string
}

@Entity('balances')
export class BalanceRow {
  @PrimaryColumn('text') wallet!: string
  @PrimaryColumn('text', { name: 'token_type' }) tokenType!: string
  @Column('bigint') amount!: string
}

@Entity('events')
export class EventRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string
  @Column('text') type!: string
  @Column('text', { array: true }) audience!: string[]
  @Column('jsonb') data!: Record<string, unknown>
}

export const entities = [PlayerRow, SessionRow, ListingRow, PurchaseRow, PurchaseItemRow, PaymentRow, TransferRow, BalanceRow, EventRow]
