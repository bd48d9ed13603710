import { posix } from 'node:path'

/** Rules for every file. Those switched off would improve nothing in this code, or reject sound code. */
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
  'vitest/expect-expect': [
    'error',
    { assertFunctionNames: ['expect*', '*.expect*', 'assert*', 'fc.assert', 'until*', '*.until*', 'attack'] },
  ],

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
  // A fixture without any other names none.
  'no-empty-pattern': ['error', { allowObjectPatternsAsParameters: true }],
  'typescript/no-non-null-assertion': 'off',
  'typescript/no-unsafe-argument': 'off',
  'typescript/no-unsafe-assignment': 'off',
  'typescript/no-unsafe-call': 'off',
  'typescript/no-unsafe-member-access': 'off',
  'typescript/no-unsafe-return': 'off',
}

const serverOrder =
  'A folder of the server imports those on the floors below it, and the stages before it: see serverFloors in oxlint.config.mjs.'
const webOrder =
  'The arrows of the web app: ui, contract <- api <- wallet <- session, payment <- features <- shell <- app; see webArrows in oxlint.config.mjs.'

const noSolana = {
  group: ['@solana/**', '@solana-program/**'],
  message: 'Only server/src/chain talks to Solana: use its port, chain/chain.ts.',
}
const noSql = { group: ['kysely', 'pg'], message: 'SQL belongs in stores and in database/.' }
const browserOnly = [
  { group: ['typebox', 'typebox/**'], message: 'The web app ships no validator.' },
  {
    group: ['@juicebar/contract/schemas', '@juicebar/contract/schemas/*'],
    allowTypeImports: true,
    message: 'The web app may import schemas only as types.',
  },
  { group: ['node:*'], message: 'The web app runs in a browser.' },
]

const noSuspense = {
  group: ['react'],
  importNames: ['Suspense'],
  message: 'A `Part` also keeps what people do with it before it is alive.',
}

/** The floors of the server, from the ground up: what stands on one may import what stands on those below it. */
const serverFloors = [
  ['runtime', 'settings', 'pictures', 'outgoing'],
  ['database', 'http', 'chain', 'catalogue'],
  ['config.ts', 'realtime', 'sign-in', 'inventory', 'restrictions'],
  ['brand', 'listings', 'checkouts'],
  ['purchases', 'alerts', 'embedded'],
  ['studio', 'market', 'metrics'],
  ['command', 'app'],
]

/** The folders inside a folder, in their order: each may import those before it. The folder's own files come last, but chain's port first. */
const serverStages = {
  chain: ['chain', 'chain/transactions', 'chain/rpc', 'chain/client'],
  purchases: [
    ...inside('purchases', ['purchase', 'reservation', 'payment', 'co-signed', 'cases', 'hold', 'reply', 'settlement', 'reconciliation']),
    'purchases/pay-link',
    'purchases',
  ],
  studio: [...inside('studio', ['log', 'checkouts', 'sales', 'players', 'keys', 'staff', 'webhooks', 'audit', 'recovery']), 'studio'],
}

/** What of a folder others may import, where that is not all of it. */
const doors = { chain: ['chain', 'chain/transactions'] }
/** Commands are entry points: they make their own chain client, as `main.ts` does. */
const exceptions = { command: ['chain/client'] }

function inside(folder, names) {
  return names.map((name) => `${folder}/${name}`)
}

/** For each folder of the server, the folders and files that it may import. */
const serverArrows = Object.fromEntries(
  serverFloors.flatMap((floor, level) => {
    const below = serverFloors
      .slice(0, level)
      .flat()
      .flatMap((room) => doors[room] ?? serverStages[room] ?? [room])
    return floor.flatMap((room) => {
      const stages = serverStages[room] ?? [room]
      return stages.map((stage, index) => [stage, [...below, ...stages.slice(0, index), ...(exceptions[stage] ?? [])]])
    })
  }),
)

/** The same for the web app. Features do not import each other: the shell puts them together. */
const webArrows = {
  settings: [],
  ui: [],
  'ui/amount': ['ui'],
  'ui/chart': [],
  catalogue: ['settings'],
  navigation: ['settings', 'ui', 'catalogue'],
  feedback: ['ui'],
  api: [],
  figures: ['catalogue', 'ui', 'ui/chart', 'api'],
  realtime: ['ui', 'api'],
  wallet: ['ui', 'feedback', 'api', 'navigation', 'wallet/mobile'],
  'wallet/demo': ['ui', 'feedback', 'api', 'wallet'],
  'wallet/mobile': ['settings', 'ui', 'api', 'wallet'],
  payment: ['api', 'wallet'],
  session: ['ui', 'feedback', 'api', 'wallet'],
  worker: [],
  ...deskArrows(),
  ...featureArrows(['alerts', 'cases', 'drink', 'history', 'inventory', 'listing', 'market', 'my-listings', 'purchase']),
}

/** The studio's desk, a page of its own: it uses what the web app is built on, and none of its features. */
function deskArrows() {
  const below = ['settings', 'ui', 'catalogue', 'feedback', 'api', 'wallet', 'session']
  const shared = [...below, 'desk/desk-queries.ts', 'desk/parts', 'desk/frame/places.ts']
  const find = 'desk/find'
  return {
    'desk/parts': [...below, 'desk/desk-queries.ts', 'desk/frame/places.ts'],
    'desk/frame': [...shared, 'shell/theme-toggle.tsx', 'desk/find/search-field.tsx'],
    [find]: [...shared, 'desk/cases.tsx', 'features/history/signature-link.tsx'],
    'desk/today': [...shared, 'ui/chart', 'desk/cases.tsx'],
    'desk/records': [...shared, 'desk/find/search-field.tsx'],
    desk: [...shared, find, 'desk/frame', 'desk/today', 'desk/records', 'wallet/demo', 'wallet/mobile'],
  }
}

function featureArrows(features) {
  const below = [
    'settings',
    'ui',
    'ui/amount',
    'ui/chart',
    'catalogue',
    'feedback',
    'api',
    'figures',
    'navigation',
    'worker/register-worker.ts',
    'wallet',
    'payment',
    'session',
  ]
  return {
    ...Object.fromEntries(features.map((feature) => [`features/${feature}`, below])),
    'features/history': [...below, 'features/history/profit'],
    'features/history/profit': [...below, 'features/history/csv.ts'],
    'features/market/activity': [...below, 'features/history/signature-link.tsx'],
    'features/market': [...below, 'features/listing/why-not-for-sale.ts'],
    'features/drink': [...below, 'features/history/signature-link.tsx'],
    'features/purchase/order': below,
    'features/purchase/hold': [...below, 'features/purchase/order', 'features/purchase/use-purchase.ts'],
    'features/purchase/co-signed': [...below, 'features/purchase/order'],
    'features/purchase/flow': [...below, 'features/purchase/order', 'features/purchase/way-to-pay.ts'],
    'features/purchase': [
      ...below,
      'features/purchase/order',
      'features/purchase/flow',
      'features/purchase/hold',
      'features/purchase/co-signed',
      'features/purchase/best-price/quote-summary.tsx',
    ],
    'features/purchase/open': [
      ...below,
      'features/purchase',
      'features/purchase/order',
      'features/purchase/flow',
      'features/purchase/hold',
      'features/purchase/co-signed',
    ],
    'features/purchase/checkout': [
      ...below,
      'features/purchase',
      'features/purchase/order',
      'features/purchase/hold',
      'features/purchase/co-signed',
      'features/purchase/open',
      'features/purchase/best-price',
    ],
    'features/purchase/basket': [...below, 'features/purchase', 'features/purchase/order'],
    'features/purchase/best-price': [...below, 'features/purchase', 'features/purchase/order'],
  }
}

/** Of two entries that fit a file, the later one's import rules count. */
const arrows = [
  imports('contract/src/**', [
    {
      group: ['*', '!./*', '!./endpoints/*', '!./schemas/*', '!./schemas/*/*', '!typebox', '!@scure/base'],
      message: 'The contract runs in browsers and servers alike.',
    },
  ]),
  imports('contract/src/schemas/**', [
    {
      group: ['*', '!./*', '!./*/*', '!../*', '!../*/*', '!../../*', '!typebox'],
      message: 'The contract runs in browsers and servers alike.',
    },
  ]),
  imports('server/src/*.ts', [noSolana]),
  ...Object.entries(serverArrows).map(([place, open]) =>
    place.endsWith('.ts')
      ? imports(`server/src/${place}`, serverImports('.', open))
      : imports(`server/src/${place}/*.ts`, serverImports(place, open)),
  ),
  imports('web/src/*', [...browserOnly, noSuspense]),
  imports('web/src/shell/**', [
    ...browserOnly,
    noSuspense,
    { group: ['../app.tsx', '../main.tsx', '../../app.tsx', '../../main.tsx'], message: webOrder },
  ]),
  ...Object.entries(webArrows).map(([folder, open]) =>
    imports(`web/src/${folder}/*.*`, [...browserOnly, noSuspense, webImports(folder, open)]),
  ),
  imports('web/src/ui/part.tsx', [...browserOnly, webImports('ui', webArrows.ui)]),
]

function imports(files, patterns) {
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

function serverImports(folder, open) {
  const opened = open.map((target) => relative(folder, target)).map((path) => (path.endsWith('.ts') ? `!${path}` : `!${path}/*.ts`))
  const patterns = [{ group: ['../**', './*/**', ...opened], message: serverOrder }]
  if (!folder.startsWith('chain/')) patterns.push(noSolana)
  if (/^(?:chain|http)\b/.test(folder)) patterns.push(noSql)
  return patterns
}

/** The path from one folder to another place below the same `src`, as an import writes it. */
function relative(folder, target) {
  const path = posix.relative(folder, target)
  return path.startsWith('.') ? path : `./${path}`
}

function webImports(folder, open) {
  const opened = open.map((target) => relative(folder, target)).map((path) => (/\.tsx?$/.test(path) ? `!${path}` : `!${path}/*.*`))
  return { group: ['../**', './*/**', ...opened], message: webOrder }
}

export default {
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'react', 'jsx-a11y', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  env: { es2024: true },
  // The peers' packages, and so their types, are installed only when they are measured.
  ignorePatterns: ['**/dist', 'server/src/database/schema.ts', 'server/bench/peers'],
  rules: everywhere,
  overrides: [
    { files: ['*.config.*', '*/*.config.ts', 'server/test/support/global-setup.ts'], rules: { 'import/no-default-export': 'off' } },
    { files: ['scripts/**', 'server/bench/**', 'server/chaos/**', 'examples/**'], rules: { 'no-console': 'off' } },
    // What the example hands to timers and its server catches its own errors.
    { files: ['examples/**'], rules: { 'typescript/no-misused-promises': 'off' } },
    // Fixtures are called `use` too, in Playwright and in our own tests.
    { files: ['e2e/**', 'server/test/**'], rules: { 'react/rules-of-hooks': 'off' } },
    { files: ['*/test/**', 'server/bench/**', 'server/chaos/**', 'e2e/**', 'scripts/**', 'examples/**', '*.config.mjs'], rules: inTests },
    ...arrows,
  ],
}
