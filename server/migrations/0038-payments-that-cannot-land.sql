comment on column purchases.unfunded is
  'Its buyer has seen to it that it was not paid: of a co-signed purchase, the SOL was gone or the blockhash was too old soon after the bytes '
  'were recorded, or the SOL was gone when they expired; of a hold, its payment window was closed because the SOL was gone.';

-- functions that hold and settle: 6a2055e6b359cd886311b0f9d8d8af0cfcbea4f988e9a50be83dd6a9affb16b2
