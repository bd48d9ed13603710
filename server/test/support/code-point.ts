import fc from 'fast-check'

const [SURROGATES, SURROGATE_COUNT, LAST] = [0xd800, 0x800, 0x10ffff]

/** Any character, for `fc.string({ unit })`: as its unit "binary", which takes more than a second to find out what these are. */
export const codePoint = fc
  .nat({ max: LAST - SURROGATE_COUNT })
  .map((index) => String.fromCodePoint(index < SURROGATES ? index : index + SURROGATE_COUNT))
