import type { Screen } from '../screen.ts';

/**
 * `/app/waiting`, for open pages: the navigation link with the number of waiting approvals, and
 * which part of the service is unavailable.
 */
export const waitingScreen: Screen = {
  path: '/waiting',
  role: 'viewer',
  get: async () => ({ title: 'Approvals', template: 'events/waiting', data: {} }),
};
