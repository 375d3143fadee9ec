import type { Screen } from '../screen.ts';

/**
 * `/app/waiting`: what every open page refreshes, namely the number of waiting approvals and the
 * message about an outage.
 */
export const waitingScreen: Screen = {
  path: '/waiting',
  role: 'viewer',
  get: async () => ({ title: 'Approvals', template: 'events/waiting', data: {} }),
};
