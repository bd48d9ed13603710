-- A refund waits until the payment of its case can no longer vanish. Cases of before count as final, as they did.
alter table cases add column payment_final boolean not null default true;
comment on column cases.payment_final is
  'False while the chain may still drop the payment: its seller cannot refund it yet. True of one too small to be followed.';

-- A late payment that was delivered through its case may vanish after that, and then has a second one.
alter table cases drop constraint cases_one_a_seller;
create unique index cases_one_a_seller on cases (purchase_id, signature, seller, buyer, (kind = 'vanished')) nulls not distinct;

-- functions that hold and settle: da19ca211f24b449e3e90e1ae5134c82ec45282db76b2c6be4435dd7e057181e
