import type { McpServer } from '../../../../domain/mcp-server.ts';
import { mcpEndpoint } from '../../../v1/mcp/servers/present.ts';
import type { AppPage, Visit } from '../screen.ts';
import { hostConfigurations } from './host-configurations.ts';
import { SERVERS } from './server-of.ts';

/**
 * The page that shows a new token once. `what` is `created` for the first token of a new server,
 * and `static` for a new token of an existing server.
 */
export function tokenPage({ gateway }: Visit, server: McpServer, token: string, what: 'created' | 'static' | { person: string }): AppPage {
  const endpoint = mcpEndpoint(server, gateway.config.baseUrl);
  const shared = 'Anybody with this token can call the tools of this server. The token belongs to no person. You see it only now.';
  const about = typeof what === 'object' ? `Calls with this token are calls of ${what.person}. You see it only now.` : shared;
  const done = { created: `${server.name} is created.`, static: `${server.name} has a new token.` };
  return {
    done: typeof what === 'object' ? 'The token is created.' : done[what],
    title: what === 'created' ? `${server.name} is created` : `Token of ${server.name}`,
    template: 'servers/token',
    data: {
      title: what === 'created' ? `${server.name} is created` : `Token of ${server.name}`,
      secret: { about, label: 'Token', value: token },
      ...{ endpoint, hosts: hostConfigurations({ endpoint, token }) },
      back: { href: `${SERVERS}/${server.id}`, label: `Open ${server.name}` },
    },
    hasSecret: true,
  };
}
