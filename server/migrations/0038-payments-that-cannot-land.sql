comment on column purchases.unfunded is
  'Its buyer has seen to it that it was not paid: of a co-signed purchase, the SOL was gone or the blockhash was too old soon after the bytes '
  'were recorded, or the SOL was gone when they expired; of a hold, its payment window was closed because the SOL was gone.';

-- functions that hold and settle: 6f66961ace7d3fc3166a3ca120c43dc019165040e873ef4bcc11e0ea0d911477
