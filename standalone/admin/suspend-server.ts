import { resumeMcpServer, suspendMcpServer } from '../../commands/mcp-servers/suspend-mcp-server.ts';
import type { Actor } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { escapeHidden } from '../../domain/redaction/visible-text.ts';
import { SetupError } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { readArguments, readId, requireOption } from './read-options.ts';
import { systemOperator } from './system-operator.ts';

/** Suspends an MCP server: its endpoint answers 403 SERVER_SUSPENDED. */
export const suspend = serverCommand(suspendMcpServer, 'is suspended: its endpoint answers 403 SERVER_SUSPENDED.');

/** Ends the suspension of an MCP server. */
export const resume = serverCommand(resumeMcpServer, 'answers again.');

function serverCommand(change: (db: Db, by: Actor, id: string) => Promise<McpServer>, done: string) {
  return adminCommand({
    // The server's address has this prefix.
    read: (args) => readId('ID', requireOption('The ID of the server', readArguments(args, {}, 1).words[0]).replace(/^srv_/, '')),
    run: (config, id) =>
      onDatabase(config, async (db) => {
        const { name } = await change(db, systemOperator(), id).catch((error) => {
          throw error instanceof GatewayError ? new SetupError(`There is no MCP server ${id}.`) : error;
        });
        return `The MCP server ${escapeHidden(name)} (${id}) ${done}`;
      }),
  });
}
