comment on column purchases.unfunded is
  'Its buyer has seen to it that it was not paid: of a co-signed purchase, the SOL was gone or the blockhash was too old soon after the bytes '
  'were recorded, or the SOL was gone when they expired; of a hold, its payment window was closed because the SOL was gone.';

-- functions that hold and settle: aa00ec07d550e0f0e3c921abf276eda867a1d14fef2cfa900338158b152ba729
