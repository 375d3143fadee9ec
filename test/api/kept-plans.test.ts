import { randomUUID } from 'node:crypto';
import type { Db } from '../../infra/database.ts';
import { findApprovalsWithKeys } from '../../store/approvals.ts';
import { findEndUsersWithKeys } from '../../store/end-users.ts';
import { findApiKeysByHash } from '../../store/key-lookups.ts';
import { findMcpServersWithKeys } from '../../store/mcp-servers.ts';
import { findMcpTokensByHash } from '../../store/mcp-tokens.ts';
import { findWorkspacesWithKeys } from '../../store/workspaces.ts';
import { newOrg } from '../support/new-org.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { cloneDatabase } from '../support/system.ts';

const MANY = 20_000;
/**
 * Postgres makes a new plan for each of the first executions of a prepared statement. After this
 * many, it can keep one plan for all values.
 */
const PLANNED_FIRST = 5;
const EXECUTIONS = 20;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;

beforeAll(async () => {
  database = await cloneDatabase();
  const { workspaceId } = await newOrg(database.url);
  db = patientDatabase(database.url);
  const insert = (sql: string) => db.raw(sql, { workspaceId, MANY });
  await insert(`insert into api_keys (org_id, name, key_prefix, key_hash, permissions, scope)
    select org_id, 'one of many', 'svc_', sha256(convert_to(n::text, 'utf8')), '{}', 'org' from workspaces, generate_series(1, :MANY) n where id = :workspaceId`);
  await insert(`insert into end_users (org_id, workspace_id, external_id, metadata)
    select org_id, id, 'one-of-many-' || n, '{}' from workspaces, generate_series(1, :MANY) n where id = :workspaceId`);
  await insert(`insert into mcp_servers (org_id, workspace_id, name, mode, auth_mode, end_user_access)
    select org_id, id, 'Server ' || n, 'TOOLS', 'bearer', 'open' from workspaces, generate_series(1, 100) n where id = :workspaceId`);
  await insert(`insert into mcp_tokens (org_id, workspace_id, server_id, kind, token_prefix, token_hash, scopes)
    select s.org_id, s.workspace_id, s.id, 'end_user', 'eut_', sha256(convert_to(s.id || n::text, 'utf8')), '{}'
    from mcp_servers s, generate_series(1, :MANY / 100) n where s.workspace_id = :workspaceId`);
  await db.raw('analyze');
});
afterAll(async () => {
  await db?.destroy();
  await database?.drop();
});

test('look-ups of credentials keep their plan in large tables, for single and for batched requests', async () => {
  const { rows } = await db.raw('select key_hash as hash, id from api_keys limit 16');
  const servers = await db('mcp_servers').limit(16).pluck('id');
  for (let execution = 0; execution < EXECUTIONS; execution += 1) {
    const requests: { hash: Buffer; id: string }[] = rows.slice(0, execution % 2 === 0 ? 1 : 16);
    for (const find of [findWorkspacesWithKeys, findEndUsersWithKeys, findMcpServersWithKeys]) await find(db, requests);
    await findApprovalsWithKeys(
      db,
      requests.map(({ hash }) => ({ hash, id: `apr_${randomUUID()}` })),
    );
    await findApiKeysByHash(
      db,
      requests.map(({ hash }) => hash),
    );
    await findMcpTokensByHash(
      db,
      requests.map(({ hash }, index) => ({ hash, serverId: servers[index]! })),
    );
  }
  const plans = await db.raw(
    'select name, custom_plans as "planned", generic_plans as "kept" from pg_prepared_statements where name <> \'\'',
  );
  const expected = { planned: PLANNED_FIRST, kept: EXECUTIONS - PLANNED_FIRST };
  expect(Object.fromEntries(plans.rows.map(({ name, ...counts }: { name: string }) => [name, counts]))).toEqual({
    keys: expected,
    'keys-with-approvals': expected,
    'keys-with-end_users': expected,
    'keys-with-mcp_servers': expected,
    'keys-with-workspaces': expected,
    'mcp-tokens-by-hash': expected,
  });
});
