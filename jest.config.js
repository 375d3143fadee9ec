/**
 * Tests run on Node's own loader, as the service does (test/jest/run-test-file.ts): nothing is
 * transformed.
 */
const project = (displayName, testMatch, without = []) => ({
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/test/${pattern}`),
  testPathIgnorePatterns: ['/node_modules/', ...without],
  modulePathIgnorePatterns: ['<rootDir>/.gateway/'],
  testEnvironment: '<rootDir>/test/jest/environment.ts',
  testRunner: '<rootDir>/test/jest/run-test-file.ts',
  transform: {},
});

// Most tests in these folders test pure code. They need no Postgres, no Temporal and no running
// service. The others there are named `x.system.test.ts`. A test elsewhere that needs none of the
// three may be named `x.unit.test.ts`.
const PURE = '/test/(domain|integrations)/';

// Tests that take long: they start the whole service, sandboxes or browsers, or there are many of
// them, as for the screens of the dashboard. Tests named `x.unit.test.ts` are not part of them.
const LONG = [
  '**/*.endurance.test.ts',
  '**/*.browser.test.ts',
  '{stories,standalone,sandbox,chaos}/**/*.test.ts',
  'api/{integrations,pages/app}/**/*.test.ts',
];
const LONG_PATHS = [
  '\\.(endurance|browser)\\.test\\.ts$',
  '/test/(stories|standalone|sandbox|chaos)/',
  '/test/api/(integrations|pages/app)/',
];

/**
 * Three projects. With this file, only a sample of the project `endurance` runs
 * (test/jest/sample-and-order.js). With jest.endurance.config.js, all of it runs.
 */
export default {
  projects: [
    project('unit', ['{domain,integrations}/**/*.test.ts', '**/*.unit.test.ts'], ['\\.(system|endurance)\\.test\\.ts$']),
    project('system', ['**/*.test.ts'], [`${PURE}(?!.*\\.system\\.test\\.ts$)`, '\\.unit\\.test\\.ts$', ...LONG_PATHS]),
    project('endurance', LONG, ['\\.unit\\.test\\.ts$']),
  ],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/jest/sample-and-order.js',
  // Small machines have fewer processors, but tests mostly wait for other processes.
  maxWorkers: 4,
  testTimeout: 120_000,
};
