import { describe, expect, it } from 'vitest'

import { readConfig } from '../../src/settings/config.ts'

describe('the settings of metrics', () => {
  it('are off unless a port is named, and then stay on this machine', () => {
    expect(readConfig({}).metrics).toBeUndefined()
    expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 })
    expect(readConfig({ METRICS_PORT: '9464', METRICS_HOST: '10.0.0.11' }).metrics).toEqual({ host: '10.0.0.11', port: 9464 })
  })

  it.each([
    [{ METRICS_PORT: '0' }, 'METRICS_PORT is "0". It must be a whole number from 1 to 65535.'],
    [{ METRICS_PORT: 'on' }, 'METRICS_PORT is "on". It must be a whole number from 1 to 65535.'],
    [{ METRICS_PORT: '3000' }, 'METRICS_PORT is the same as PORT. Metrics are served apart from the market: choose another port.'],
    [{ METRICS_HOST: '10.0.0.11' }, 'METRICS_HOST is set, but METRICS_PORT is not. Set it to the port that metrics are served on.'],
    [{ METRICS_PORT: '9464', METRICS_HOST: 'http://here' }, 'METRICS_HOST is "http://here". It must be an IP address or a host name.'],
  ])('%j is refused with a sentence', (settings, sentence) => {
    expect(() => readConfig(settings)).toThrow(sentence)
  })
})
