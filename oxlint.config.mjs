/** Rules that every file keeps. What is off asks for nothing better here, or takes sound code for wrong. */
const everywhere = {
  eqeqeq: 'error',
  'import/no-cycle': 'error',
  'import/no-default-export': 'error',
  'import/no-self-import': 'error',
  'no-console': 'error',
  'no-restricted-globals': ['error', 'alert', 'confirm', 'prompt'],
  'oxc/no-barrel-file': 'error',
  'prefer-const': 'error',
  'react/exhaustive-deps': 'error',
  'react/rules-of-hooks': 'error',
  'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  'typescript/no-explicit-any': 'error',
  'typescript/no-floating-promises': 'error',
  'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
  'typescript/no-non-null-assertion': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/only-throw-error': 'error',
  'typescript/return-await': ['error', 'error-handling-correctness-only'],
  'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  'vitest/expect-expect': ['error', { assertFunctionNames: ['expect*', 'assert*', 'fc.assert', 'until*', 'attack'] }],

  'consistent-return': 'off',
  'import/no-named-as-default': 'off',
  'import/no-named-as-default-member': 'off',
  'import/no-unassigned-import': 'off',
  'jsx-a11y/prefer-tag-over-role': 'off',
  'no-await-in-loop': 'off',
  'no-shadow': 'off',
  'no-underscore-dangle': 'off',
  'promise/always-return': 'off',
  'promise/no-promise-in-callback': 'off',
  'react/incompatible-library': 'off',
  'react/react-in-jsx-scope': 'off',
  'typescript/consistent-return': 'off',
  'typescript/no-unnecessary-type-parameters': 'off',
  'typescript/no-unnecessary-type-conversion': 'off',
  'typescript/no-unsafe-type-assertion': 'off',
  'typescript/unbound-method': 'off',
  'unicorn/consistent-function-scoping': 'off',
  'unicorn/no-array-reverse': 'off',
  'unicorn/no-array-sort': 'off',
  'unicorn/require-post-message-target-origin': 'off',
  'vitest/no-conditional-expect': 'off',
  'vitest/no-standalone-expect': 'off',
  'vitest/require-to-throw-message': 'off',
}

/** Tests look into replies whose shape is what they test. */
const inTests = {
  'typescript/no-non-null-assertion': 'off',
  'typescript/no-unsafe-argument': 'off',
  'typescript/no-unsafe-assignment': 'off',
  'typescript/no-unsafe-call': 'off',
  'typescript/no-unsafe-member-access': 'off',
  'typescript/no-unsafe-return': 'off',
}

const serverOrder = 'The arrows of the server: database, http, chain <- inventory <- listings <- purchases; signing in stands alone.'
const webOrder = 'The arrows of the page: ui, contract <- api <- wallet, session <- features <- app.'

const noSolana = {
  group: ['@solana/**', '@solana-program/**'],
  message: 'Only server/src/chain speaks to Solana: use its port, chain/chain.ts.',
}
const noSql = { group: ['kysely', 'pg'], message: 'SQL stands in stores and in database/.' }
const browserOnly = [
  { group: ['typebox', 'typebox/**'], message: 'The page carries no validator.' },
  { group: ['@juicebar/contract/schemas'], allowTypeImports: true, message: 'To the page, schemas are types.' },
  { group: ['node:*'], message: 'The page runs in a browser.' },
]

/** The folders beside its own that a folder may import from; everything else beside it is closed. */
const serverArrows = {
  database: [],
  http: [],
  chain: ['config.ts'],
  'sign-in': ['database', 'http', 'chain'],
  inventory: ['database', 'http', 'chain'],
  listings: ['database', 'http', 'chain', 'inventory'],
  purchases: ['database', 'http', 'chain', 'inventory', 'listings'],
  market: ['database', 'http', 'listings'],
  realtime: ['database', 'http'],
  studio: ['database', 'http', 'chain', 'inventory', 'listings', 'purchases'],
}
const webArrows = {
  ui: [],
  api: ['ui'],
  wallet: ['ui', 'api'],
  session: ['ui', 'api', 'wallet'],
}
const webFeatures = ['cases', 'history', 'inventory', 'market', 'my-listings', 'purchase']

/** Of two entries that fit a file, the later one's import rules count. */
const arrows = [
  imports('contract/src/**', [
    { group: ['*', '!./*', '!typebox', '!@scure/base'], message: 'The contract runs in browsers and servers alike.' },
  ]),
  imports('server/src/*.ts', [noSolana]),
  imports('server/src/embedded/**', [{ group: ['../app.ts', '../main.ts'], message: serverOrder }]),
  ...Object.entries(serverArrows).map(([folder, open]) => imports(`server/src/${folder}/**`, serverImports(folder, open))),
  imports('web/src/*', browserOnly),
  imports('web/src/shell/**', [...browserOnly, { group: ['../app.tsx', '../main.tsx'], message: webOrder }]),
  ...Object.entries(webArrows).map(([folder, open]) => imports(`web/src/${folder}/**`, [...browserOnly, onlyFrom(open, webOrder)])),
  ...webFeatures.map((folder) =>
    imports(`web/src/${folder}/**`, [...browserOnly, { group: ['../app.tsx', '../main.tsx', '../shell/**'], message: webOrder }]),
  ),
]

function imports(files, patterns) {
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

function serverImports(folder, open) {
  const patterns = [onlyFrom(open, serverOrder)]
  if (folder !== 'chain') patterns.push(noSolana)
  if (folder === 'chain' || folder === 'http') patterns.push(noSql)
  return patterns
}

/** `chain/solana-chain.ts` stays closed in an open `chain`: only the start makes a chain client. */
function onlyFrom(open, message) {
  const opened = open.map((name) => (name.endsWith('.ts') ? `!../${name}` : `!../${name}/**`))
  return { group: ['../**', ...opened, '../chain/solana-chain.ts'], message }
}

export default {
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'react', 'jsx-a11y', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  env: { es2024: true },
  ignorePatterns: ['**/dist', 'server/src/database/schema.ts'],
  rules: everywhere,
  overrides: [
    { files: ['*.config.*', '*/*.config.ts', 'server/test/support/global-setup.ts'], rules: { 'import/no-default-export': 'off' } },
    { files: ['scripts/**', 'server/bench/**', 'server/chaos/**'], rules: { 'no-console': 'off' } },
    // Playwright hands a fixture over by a function called `use`.
    { files: ['e2e/**'], rules: { 'react/rules-of-hooks': 'off' } },
    { files: ['*/test/**', 'server/bench/**', 'server/chaos/**', 'e2e/**', 'scripts/**', '*.config.mjs'], rules: inTests },
    ...arrows,
  ],
}
