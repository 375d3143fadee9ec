import pg from 'pg';

const TEMPLATE = 'gateway_template';

function databaseUrlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.username = 'gateway';
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates and migrates the template database for all test databases. */
export async function createTemplate(adminUrl: string, fill: (url: string) => Promise<void>): Promise<void> {
  await runAsAdmin(adminUrl, `create database ${TEMPLATE} owner gateway`);
  await fill(databaseUrlOf(adminUrl, TEMPLATE));
  await runAsAdmin(adminUrl, `alter database ${TEMPLATE} with allow_connections false`);
}

/** Copies the template to a new database, and returns the copy's connection string. */
export async function copyTemplate(adminUrl: string, name: string): Promise<string> {
  await runAsAdmin(adminUrl, `create database ${name} template ${TEMPLATE} strategy file_copy owner gateway`);
  return databaseUrlOf(adminUrl, name);
}

/** Drops a database and ends its open sessions. */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await runAsAdmin(adminUrl, `drop database if exists ${name} with (force)`);
}

async function runAsAdmin(adminUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
