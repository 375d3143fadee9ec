import type { RunCommand } from './admin-command.ts';

/** One command of `npm run --silent admin -- NAME …` (contract decisions 6). */
export interface AdminCommand {
  name: string;
  /** One line. */
  summary: string;
  /** One line for each way to call the command. */
  usage: string;
  /** Loads the module of this command only, because most commands load half of the service. */
  load(): Promise<{ command: RunCommand }>;
}

/** All commands, in the order of the help. docs/running.md has a row for each. */
export const ADMIN_COMMANDS: readonly AdminCommand[] = [
  {
    name: 'create-key',
    summary: 'Creates an API key and prints it.',
    usage: '--name NAME [--org ID] [--workspaces ID,ID] [--decide] [--expires-in SECONDS]',
    load: () => import('./create-key.ts'),
  },
  {
    name: 'create-org',
    summary: 'Creates an organization with a workspace and an org-wide key; prints JSON.',
    usage: '--name NAME',
    load: () => import('./create-org.ts'),
  },
  {
    name: 'add-user',
    summary: 'Adds a member to an organization, or changes the role of a member; prints JSON.',
    usage: '--email EMAIL --role ROLE [--name NAME] [--org ID]',
    load: () => import('./add-user.ts'),
  },
  {
    name: 'setup-link',
    summary: 'Prints a link that creates the first owner. It works once, for 24 hours, if no owner has signed in yet.',
    usage: '[--org ID]',
    load: () => import('./setup-link.ts'),
  },
  {
    name: 'sign-in-link',
    summary: 'Prints a link that signs a member in to the dashboard. It works once, for ten minutes.',
    usage: '--email EMAIL [--org ID]',
    load: () => import('./sign-in-link.ts'),
  },
  {
    name: 'list-users',
    summary: 'Lists the members of an organization.',
    usage: '[--org ID]',
    load: () => import('./list-users.ts'),
  },
  {
    name: 'remove-user',
    summary: 'Removes a member from an organization.',
    usage: '--email EMAIL [--org ID]',
    load: () => import('./remove-user.ts'),
  },
  {
    name: 'approvals',
    summary: 'Lists, shows and decides approvals.',
    usage: [
      '[list] [--org ID] [--status STATUS] [--limit N] [--cursor CURSOR] [--json]',
      'show ID [--json]',
      'approve|reject|cancel ID [--reason TEXT] [--as EMAIL] [--json]',
      'link ID --as EMAIL',
    ].join('\n'),
    load: () => import('./approvals.ts'),
  },
  {
    name: 'import',
    summary: 'Imports an OpenAPI document, an MCP server or a declarative document as an integration; prints JSON.',
    usage: [
      '--name NAME --kind KIND --file FILE|--url URL [--org ID] [--base-url URL] [--headers-file FILE] [--preview]',
      '  [--refresh-every SECONDS] [--on-change hold|block]',
      '  more than once: [--operation ID] [--tag TAG] [--path PREFIX] [--method METHOD] [--tool NAME] [--server-variable NAME=VALUE]',
    ].join('\n'),
    load: () => import('./import.ts'),
  },
  {
    name: 'suspend-server',
    summary: 'Suspends an MCP server: its endpoint answers 403 SERVER_SUSPENDED.',
    usage: 'ID',
    load: async () => ({ command: (await import('./suspend-server.ts')).suspend }),
  },
  {
    name: 'resume-server',
    summary: 'Ends the suspension of an MCP server.',
    usage: 'ID',
    load: async () => ({ command: (await import('./suspend-server.ts')).resume }),
  },
  {
    name: 'operator-code',
    summary: 'Prints a code that confirms the signal `approve` in the Temporal UI. It works once, for ten minutes.',
    usage: 'APPROVAL [--as EMAIL]',
    load: () => import('./operator-code.ts'),
  },
  {
    name: 'database-url',
    summary: 'Prints the connection string of the running database.',
    usage: '',
    load: () => import('./database-url.ts'),
  },
  {
    name: 'rotate-encryption-key',
    summary: 'Encrypts all data keys with the first key of ENCRYPTION_KEYS.',
    usage: '',
    load: () => import('./rotate-encryption-key.ts'),
  },
  {
    name: 'rotate-receipt-key',
    summary: 'Creates a new key for receipts in the data folder.',
    usage: '',
    load: () => import('./rotate-receipt-key.ts'),
  },
  {
    name: 'revoke-receipt-key',
    summary: 'Removes a leaked key from /.well-known/jwks.json.',
    usage: 'KID',
    load: () => import('./revoke-receipt-key.ts'),
  },
  {
    name: 'rotate-oauth-keys',
    summary: 'Adds new signing keys of the authorization server. They are used after an hour, or immediately with --at-once.',
    usage: '[--at-once]',
    load: () => import('./rotate-oauth-keys.ts'),
  },
  {
    name: 'verify-audit',
    summary: 'Checks the hash chain of the activity log, and that no event is missing.',
    usage: '[--org ID] [--noted POSITION:HASH]',
    load: () => import('./verify-audit.ts'),
  },
];
