import type { Screen } from '../screen.ts';

/**
 * `/app/waiting`: the two parts that every open page refreshes. They are the navigation link with
 * the number of waiting approvals, and the message about an outage.
 */
export const waitingScreen: Screen = {
  path: '/waiting',
  role: 'viewer',
  get: async () => ({ title: 'Approvals', template: 'events/waiting', data: {} }),
};
