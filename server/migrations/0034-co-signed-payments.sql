-- Functions that hold and settle have other parameters than before.
-- functions that hold and settle: 8b4b2083dec30ccb1716e7c3d3b708e4dac1195e97821f7095f4705c00ce0325
drop function if exists split_listing(listings, bigint, text, uuid, timestamptz);
drop function if exists bought_today(text, text, uuid[]);
