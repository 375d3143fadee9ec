import type { Screen } from '../screen.ts';

/**
 * `/app/waiting`, for pages that are open: the link of the navigation that counts what waits, and
 * what is away.
 */
export const waitingScreen: Screen = {
  path: '/waiting',
  role: 'viewer',
  get: async () => ({ title: 'Approvals', template: 'events/waiting', data: {} }),
};
