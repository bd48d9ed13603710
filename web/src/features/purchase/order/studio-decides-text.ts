/** What the buyer has to know of a hold that only the studio can end. */
export const studioDecidesText =
  'The network can no longer show whether this listing was paid for, so the studio decides. Do not pay now. If you have paid, your payment is still looked for.'
