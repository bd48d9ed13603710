import fc from 'fast-check'

/** Makes every property try the same values again: the seed is the one that fast-check printed with a failure. */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED']) })
