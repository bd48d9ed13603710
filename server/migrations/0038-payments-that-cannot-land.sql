comment on column purchases.unfunded is
  'Its buyer has seen to it that it was not paid: of a co-signed purchase, the SOL was gone or the blockhash was too old soon after the bytes '
  'were recorded, or the SOL was gone when they expired; of a hold, its payment window was closed because the SOL was gone.';

-- functions that hold and settle: 28456800e2bc17aea29b21e686f773f6c5baaa37ad93c896ddee70df262125b8
