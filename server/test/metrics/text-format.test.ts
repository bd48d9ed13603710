import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { Counter, Histogram } from '../../src/metrics/instruments.ts'
import { renderFamilies } from '../../src/metrics/text-format.ts'
import { parseMetrics, valueOf } from './parsed-metrics.ts'

const labelValue = fc.string({ unit: fc.constantFrom('a', 'B', '"', '\\', '\n', ' ', ',', '=', '{', '}', 'é', 'n') })

describe('the text format', () => {
  it('returns every label and value, whatever they contain', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(labelValue, labelValue), { selector: (pair) => JSON.stringify(pair) }),
        fc.double(),
        (pairs, value) => {
          const samples = pairs.map(([one, two]) => ({ labels: { one, two }, value }))
          const [family] = parseMetrics(renderFamilies([{ name: 'a_name', help: 'In words, \\ and\nmore.', type: 'gauge', samples }]))
          // The text has one zero.
          const same = value === 0 ? 0 : value
          expect(family).toEqual({
            name: 'a_name',
            help: 'In words, \\ and\nmore.',
            type: 'gauge',
            samples: pairs.map(([one, two]) => ({ name: 'a_name', labels: { one, two }, value: same })),
          })
        },
      ),
    )
  })

  it('tells a family without a sample, and no zero for it', () => {
    expect(renderFamilies([{ name: 'a_name', help: 'Unknown.', type: 'gauge', samples: [] }])).toBe(
      '# HELP a_name Unknown.\n# TYPE a_name gauge\n',
    )
  })
})

describe('a histogram', () => {
  it('counts each value in every bucket that it is not above, for each label by itself', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: -120, max: 120 }))),
        (unsorted, observed) => {
          const bounds = unsorted.toSorted((a, b) => a - b)
          const histogram = new Histogram('h', 'A histogram.', { bounds, labelName: 'of' })
          for (const [of, value] of observed) histogram.of(of).observe(value)
          const families = parseMetrics(renderFamilies([histogram.family()]))
          for (const of of new Set(observed.map(([name]) => name))) {
            const own = observed.filter(([name]) => name === of).map(([, value]) => value)
            for (const bound of bounds) {
              expect(valueOf(families, 'h_bucket', { of, le: String(bound) })).toBe(own.filter((value) => value <= bound).length)
            }
            expect(valueOf(families, 'h_bucket', { of, le: '+Inf' })).toBe(own.length)
            expect(valueOf(families, 'h_count', { of })).toBe(own.length)
            expect(valueOf(families, 'h_sum', { of })).toBe(own.reduce((sum, value) => sum + value, 0))
          }
        },
      ),
    )
  })
})

describe('a counter', () => {
  it('without labels begins at zero, so that its first increase is seen', () => {
    expect(valueOf(parseMetrics(renderFamilies([new Counter('c_total', 'A counter.').family()])), 'c_total')).toBe(0)
  })

  it('keeps a count for each combination of its labels', () => {
    const counter = new Counter('c_total', 'A counter.', ['one', 'two'])
    counter.of('a', 'b').value += 2
    counter.of('a', 'c').value += 1
    counter.of('a', 'b').value += 1
    const families = parseMetrics(renderFamilies([counter.family()]))
    expect(families[0]?.samples).toEqual([
      { name: 'c_total', labels: { one: 'a', two: 'b' }, value: 3 },
      { name: 'c_total', labels: { one: 'a', two: 'c' }, value: 1 },
    ])
  })
})
