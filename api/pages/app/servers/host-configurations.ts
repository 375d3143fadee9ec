/** The configuration of an MCP server in a host (an application with an MCP client). */
export interface HostConfiguration {
  host: string;
  /** What to do with the text. */
  where: string;
  /** A command of a shell, a file, or an address to paste. */
  kind: 'command' | 'configuration' | 'address';
  text: string;
}

/** The values for a configuration. Without a token, the host signs in with OAuth. */
export interface HostTarget {
  endpoint: string;
  token?: string | undefined;
}

/** Returns the configuration for each known host. */
export function hostConfigurations(target: HostTarget): HostConfiguration[] {
  return HOSTS.map(({ write, where, ...host }) => ({
    ...host,
    where: target.token === undefined ? where.oauth : where.token,
    text: write(target),
  }));
}

interface Host extends Pick<HostConfiguration, 'host' | 'kind'> {
  where: { oauth: string; token: string };
  write(target: HostTarget): string;
}

const HOSTS: readonly Host[] = [
  {
    ...{ host: 'Claude Code', kind: 'command' },
    where: { oauth: 'Run it in a shell. The second command opens the browser for the sign-in.', token: 'Run it in a shell.' },
    write: ({ endpoint, token }) =>
      token === undefined
        ? `claude mcp add --transport http gateway "${endpoint}"\nclaude mcp login gateway`
        : `claude mcp add --transport http gateway "${endpoint}" --header "Authorization: Bearer ${token}"`,
  },
  {
    ...{ host: 'Claude Desktop', kind: 'configuration' },
    where: {
      oauth:
        'Put it into claude_desktop_config.json. Claude Desktop starts a bridge, which needs Node and opens the browser for the sign-in.',
      token: 'Put it into claude_desktop_config.json. Claude Desktop starts a bridge, which needs Node.',
    },
    write: ({ endpoint, token }) =>
      mcpServers({
        command: 'npx',
        args: ['-y', 'mcp-remote', endpoint, ...(token === undefined ? [] : ['--header', `Authorization:\${AUTHORIZATION}`])],
        ...(token !== undefined && { env: { AUTHORIZATION: `Bearer ${token}` } }),
      }),
  },
  {
    ...{ host: 'claude.ai and other assistants on the web', kind: 'address' },
    where: {
      oauth: 'Add a custom connector with this address. It must be public HTTPS.',
      token:
        'Add a custom connector with this address. It must be public HTTPS, and the server must allow OAuth: these hosts take no token.',
    },
    write: ({ endpoint }) => endpoint,
  },
  {
    ...{ host: 'VS Code', kind: 'configuration' },
    where: same('Put it into .vscode/mcp.json.'),
    write: (target) => json({ servers: { gateway: { type: 'http', ...overHttp(target) } } }),
  },
  {
    ...{ host: 'Cursor', kind: 'configuration' },
    where: same('Put it into .cursor/mcp.json of a project or of your home folder.'),
    write: (target) => mcpServers(overHttp(target)),
  },
  {
    ...{ host: 'Codex CLI', kind: 'command' },
    where: { oauth: 'Run it in a shell. It starts the sign-in.', token: 'Run it in a shell, and set MCP_TOKEN wherever Codex runs.' },
    write: ({ endpoint, token }) =>
      token === undefined
        ? `codex mcp add gateway --url "${endpoint}"`
        : `export MCP_TOKEN="${token}"\ncodex mcp add gateway --url "${endpoint}" --bearer-token-env-var MCP_TOKEN`,
  },
  {
    ...{ host: 'Gemini CLI', kind: 'command' },
    where: same('Run it in a shell. Gemini CLI uses servers only in folders that it trusts.'),
    write: ({ endpoint, token }) => {
      const header = token === undefined ? '' : `--header "Authorization: Bearer ${token}" `;
      return `gemini mcp add --transport http ${header}gateway "${endpoint}"`;
    },
  },
  {
    ...{ host: 'Any other host', kind: 'configuration' },
    where: same('Most hosts read this form. The transport is Streamable HTTP.'),
    write: (target) => mcpServers({ type: 'http', ...overHttp(target) }),
  },
];

function same(where: string): Host['where'] {
  return { oauth: where, token: where };
}

function overHttp({ endpoint, token }: HostTarget) {
  return { url: endpoint, ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }) };
}

function mcpServers(gateway: object): string {
  return json({ mcpServers: { gateway } });
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
