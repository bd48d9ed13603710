/** What the buyer has to know while the server has not said what becomes of a signed payment. */
export const unansweredText =
  'The market has not answered yet. Your signed payment is submitted again until it does, so do not approve another one for this.'
