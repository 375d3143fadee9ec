import config from './jest.config.js';

// Read by test/support/extent.ts in the worker processes, which inherit it.
process.env.TEST_EXTENT = 'whole';

/** The endurance tests alone, each whole instead of a sample of it. */
export default { ...config, projects: config.projects.filter(({ displayName }) => displayName === 'endurance') };
