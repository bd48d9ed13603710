comment on column purchases.unfunded is
  'Its buyer has seen to it that it was not paid: of a co-signed purchase, the SOL was gone or the blockhash was too old soon after the bytes '
  'were recorded, or the SOL was gone when they expired; of a hold, its payment window was closed because the SOL was gone.';

-- functions that hold and settle: 7541d2cfa6c06728a0d499405f6512586a7d30e38c319d93d749dc3f071875b6
