import type { Screen } from '../screen.ts';

/**
 * `/app/waiting`: parts for the refresh of open pages. Holds the navigation link with the number of
 * waiting approvals, and the message that a part of the service is unavailable.
 */
export const waitingScreen: Screen = {
  path: '/waiting',
  role: 'viewer',
  get: async () => ({ title: 'Approvals', template: 'events/waiting', data: {} }),
};
