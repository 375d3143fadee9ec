import { lazy } from '../../../../domain/lazy.ts';
import { hasRole } from '../../../../domain/member.ts';
import { findPlaces, type Place } from '../../../../store/places.ts';
import { screenFinder } from '../find-screen.ts';
import { integrationNames } from '../integrations/integration-names.ts';
import { NAVIGATION, type Screen, type Visit } from '../screen.ts';

const MAX_LENGTH = 200;
const MOST = 100;
type Finder = ReturnType<typeof screenFinder<Screen>>;

/** `/app/go?q=`: finds screens by name, and records by name or id. */
export function goScreenOf(screens: () => readonly Screen[]): Screen {
  const finder = lazy(async () => screenFinder(screens())); // lazy: `screens` includes this screen
  return {
    path: '/go',
    role: 'viewer',
    get: async (visit) => {
      const text = (visit.query.get('q') ?? '').trim().slice(0, MAX_LENGTH);
      const places = text === '' ? [] : await findPlaces(visit.gateway.db, visit.member.orgId, text);
      const integrations = text === '' ? [] : await integrationsOf(visit, text);
      const find = await finder();
      const records = [...places, ...integrations].flatMap((place) => linkOf(visit, find, place));
      const found = [...screensOf(visit, screens(), text), ...records].slice(0, MOST);
      return { title: 'Go to…', template: 'go/go', data: { text, found } };
    },
  };
}

interface Found {
  href: string;
  name: string;
  kind: string;
}

function screensOf(visit: Visit, screens: readonly Screen[], text: string): Found[] {
  return NAVIGATION.flatMap((name) => {
    const screen = screens.find((one) => one.navigation === name && isSeen(one, visit));
    const isWanted = name.toLowerCase().includes(text.toLowerCase());
    return screen && isWanted ? [{ href: screen.path === '/' ? '' : screen.path, name, kind: '' }] : [];
  });
}

/** The id of an integration is its name in the catalogue. */
type Target = Omit<Place, 'kind'> & { kind: Place['kind'] | 'integration' };

async function integrationsOf(visit: Visit, text: string): Promise<Target[]> {
  const wanted = text.toLowerCase();
  const names = [...(await integrationNames(visit))].filter((both) => both.some((name) => name.toLowerCase().includes(wanted)));
  return names.map(([id, name]) => ({ kind: 'integration', id, name }));
}

const PATHS: Record<Target['kind'], { path: string; noun: string }> = {
  approval: { path: '/approvals', noun: 'approval' },
  run: { path: '/runs', noun: 'code run' },
  workspace: { path: '/workspaces', noun: 'workspace' },
  policy: { path: '/policies', noun: 'policy' },
  server: { path: '/servers', noun: 'MCP server' },
  connection: { path: '/connections', noun: 'connection' },
  person: { path: '/people', noun: 'person' },
  integration: { path: '/integrations', noun: 'integration' },
};

function linkOf(visit: Visit, find: Finder, { kind, id, name }: Target): Found[] {
  const { path, noun } = PATHS[kind];
  const screen = find(`${path}/${id}`)?.screen;
  return screen?.get && hasRole(visit.member.role, screen.role) ? [{ href: `${path}/${id}`, name, kind: noun }] : [];
}

function isSeen({ role, path, get }: Screen, { member }: Visit): boolean {
  return get !== undefined && hasRole(member.role, role) && !path.includes('{');
}
