import type { Gateway } from '../../../../commands/gateway.ts';
import type { Screen } from '../screen.ts';

/** `/app`: what waits and whether everything works. */
export const overviewScreen: Screen = {
  path: '/',
  role: 'viewer',
  navigation: 'Overview',
  get: async ({ gateway, member }) => ({
    title: 'Overview',
    template: 'overview/overview',
    data: { orgName: member.orgName, health: await readHealth(gateway) },
  }),
};

/** A part of the service in words. */
interface Health {
  name: string;
  state: string;
  tone: 'good' | 'bad';
}

async function readHealth({ orchestrator }: Gateway): Promise<Health[]> {
  const isThere = await orchestrator.ping().then(
    () => true,
    () => false,
  );
  return [
    { name: 'Database', state: 'Works', tone: 'good' },
    isThere
      ? { name: 'Temporal', state: 'Works', tone: 'good' }
      : { name: 'Temporal', state: 'Not reachable. Decisions are kept and arrive later.', tone: 'bad' },
  ];
}
