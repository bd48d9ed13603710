/** Tests that fail on purpose, on which the reporter is tried. */
// oxlint-disable-next-line import/no-default-export -- Playwright takes the default export
export default { testMatch: 'browser.sample.mjs', outputDir: '../../../test-results/samples' }
