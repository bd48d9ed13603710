-- The open holds of a buyer are found by the buyer.

drop index purchases_one_hold_a_listing;
create unique index purchases_one_hold_a_listing on purchases (listing_id) where settled_at is null and end_reason is null;
comment on index purchases_one_hold_a_listing is
  'Says "held" in other words than purchases_no_ambiguous_holds, which finds the holds of a buyer. With the same words the planner takes '
  'either for that, if hardly anything was held when it last counted, and this one is then read from end to end.';
