import { type Outcome } from './check-outcome.ts'

/**
 * What the market has signed on the chain is exactly what it sold so, and what became a case. What it refused, never got, or never signed
 * is not on the chain, and of several signatures of a message one is.
 * @returns a sentence for every violation
 */
export function checkCoSigner(outcome: Pick<Outcome, 'landed' | 'rolledBack' | 'journal' | 'product' | 'coSigner'>): string[] {
  return [...everySignatureIsTold(outcome), ...everySaleIsSigned(outcome), ...nothingElseLands(outcome), ...everyMessageLandsOnce(outcome)]
}

type Given = Parameters<typeof checkCoSigner>[0]

function everySignatureIsTold({ landed, rolledBack, product, coSigner }: Given): string[] {
  const sold = new Set(coSignedSales(product).map(({ signature }) => signature))
  const cases = new Set([...product.cases.values()].map(({ signature }) => signature))
  return [...landed.values()]
    .filter(({ signature, signers }) => signers.includes(coSigner) && !rolledBack.has(signature))
    .filter(({ signature }) => !sold.has(signature) && !cases.has(signature))
    .map(({ signature }) => `the market has signed ${signature}, which is neither a purchase nor a case`)
}

function everySaleIsSigned({ landed, product, coSigner }: Given): string[] {
  return coSignedSales(product)
    .filter(({ signature }) => !landed.get(signature ?? '')?.signers.includes(coSigner))
    .map(({ purchaseId, signature }) => `purchase ${purchaseId} was delivered for ${signature}, which the market has not signed`)
}

function coSignedSales({ purchases }: Given['product']) {
  return [...purchases.values()].filter(({ status, coSigned }) => status === 'settled' && coSigned)
}

function nothingElseLands({ landed, journal: { coSigned } }: Given): string[] {
  const original = (signature: string) => coSigned.copies.get(signature) ?? signature
  return [...landed.keys()].flatMap((signature) => {
    const code = coSigned.refused.get(original(signature))
    const kept = coSigned.kept.has(signature)
    return [
      ...(code === undefined ? [] : [`payment ${signature} was refused (${code}) and is on the chain`]),
      ...(kept ? [`payment ${signature} was never submitted and is on the chain`] : []),
    ]
  })
}

function everyMessageLandsOnce({ landed, journal: { coSigned } }: Given): string[] {
  return [...coSigned.copies]
    .filter(([copy, first]) => landed.has(copy) && landed.has(first))
    .map(([copy, first]) => `${copy} and ${first} are one message, and both are on the chain`)
}
