import type { Screen } from '../screen.ts';
import { actionScreen } from './action-screen.ts';
import { programScreens } from './program-screen.ts';

const LINKS = [
  {
    href: '/playground/action',
    text: 'Run an action',
    about: 'One call: choose an action, see what would happen, run it, copy it as code.',
  },
  {
    ...{ href: '/playground/program', text: 'Write a program' },
    about: 'JavaScript that makes several calls: check it, run it, resume it after a yes.',
  },
];

/** `/playground`: tries actions and programs as the member. */
export const playgroundScreens: readonly Screen[] = [
  {
    ...{ path: '/playground', role: 'admin', navigation: 'Playground' },
    get: async () => ({ title: 'Playground', template: 'playground/playground', data: { links: LINKS } }),
  },
  actionScreen,
  ...programScreens,
];
