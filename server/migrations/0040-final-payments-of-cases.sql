-- A refund waits until the payment of its case can no longer vanish. Cases of before count as final, as they did.
alter table cases add column payment_final boolean not null default true;
comment on column cases.payment_final is
  'False while the chain may still drop the payment: its seller cannot refund it yet. True of one too small to be followed.';

-- A late payment that was delivered through its case may vanish after that, and then has a second one.
alter table cases drop constraint cases_one_a_seller;
create unique index cases_one_a_seller on cases (purchase_id, signature, seller, buyer, (kind = 'vanished')) nulls not distinct;

-- functions that hold and settle: 9cde0f3b4cabee968c2a2aa628f8bbd673ca2e753bdb99ff2fbed74a22809537
