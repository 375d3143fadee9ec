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

/**
 * Three projects. An endurance test runs here as a sample of itself, and whole by
 * jest.endurance.config.js.
 */
export default {
  projects: [
    project('unit', ['{domain,integrations}/**/*.test.ts', '**/*.unit.test.ts'], ['\\.(system|endurance)\\.test\\.ts$']),
    project('system', ['**/*.test.ts'], [`${PURE}(?!.*\\.system\\.test\\.ts$)`, '\\.(unit|endurance)\\.test\\.ts$']),
    project('endurance', ['**/*.endurance.test.ts']),
  ],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/jest/longest-first.js',
  // More than there are processors in small machines: tests wait for other processes more than they
  // compute.
  maxWorkers: 4,
  testTimeout: 120_000,
};
