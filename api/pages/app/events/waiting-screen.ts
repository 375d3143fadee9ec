import type { Screen } from '../screen.ts';

/** `/app/waiting`: the link of the navigation that counts what waits, for pages that are open. */
export const waitingScreen: Screen = {
  path: '/waiting',
  role: 'viewer',
  get: async () => ({ title: 'Approvals', template: 'events/waiting', data: {} }),
};
