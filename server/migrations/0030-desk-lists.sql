-- compatible: older servers may run on it
-- What the studio's desk lists: the wallets that are blocked, and who has started which audit.

create index blocks_by_time on blocks (since desc, wallet_address);

alter table audits add column started_by text;
comment on column audits.started_by is
  'Whose key or wallet. Null of those that nobody has started by a call, or an older server has.';
-- Ids are in the order of time, so the first entry of an audit is of its start; later ones made it full.
update audits a set started_by = l.actor
from (select distinct on (subject) subject, actor from studio_log where call = 'startAudit' order by subject, id) l
where l.subject = a.id::text;
