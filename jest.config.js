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

// Tests of what is pure need neither Postgres nor Temporal nor the running service. The few in
// these folders that do are named `x.system.test.ts`,
// and those elsewhere that do not may be named `x.unit.test.ts`.
const PURE = '/test/(domain|integrations)/';

// Tests that take long: they start the whole service, sandboxes or browsers, or there are many of
// them, as for the screens of the dashboard. Those that are named `x.unit.test.ts` do not.
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
 * Three projects. Of the third, a sample runs here (test/jest/sample-and-order.js), and everything
 * by jest.endurance.config.js.
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
  // More than there are processors in small machines: tests wait for other processes more than they
  // compute.
  maxWorkers: 4,
  testTimeout: 120_000,
};
