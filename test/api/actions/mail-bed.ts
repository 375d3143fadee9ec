import { type ApiBed, openApiBed } from '../api-bed.ts';

export const EXECUTE = '/api/v1/actions/execute';

/** The API with the integration `mail`, whose outputs name the account that was used. */
export interface MailBed extends ApiBed {
  /** Creates a workspace, which the functions below then use. Returns its id. */
  enter(): Promise<string>;
  /** Connects an account whose credential is its name. Returns the id of the connection. */
  connect(account: string, fields?: object): Promise<string>;
  /** Configures mail in the current workspace. Returns the instance's id. */
  configure(fields: object): Promise<string>;
  /** Returns the request body of a call that sends a mail in the current workspace. */
  send(fields?: object): object;
}

export async function openMailBed(env: Record<string, string> = {}): Promise<MailBed> {
  const bed = await openApiBed(env);
  const make = bed.api.must(201);
  let workspaceId = bed.workspaceId;
  let count = 0;
  return {
    ...bed,
    async enter() {
      const slug = `w-${count++}`;
      workspaceId = (await make.post('/api/v1/workspaces', { name: slug, slug })).workspace.id;
      return workspaceId;
    },
    async connect(account, fields = { scope: 'WORKSPACE' }) {
      const body = { integrationName: 'mail', externalId: account, type: 'SECRET_TEXT', secretText: account, workspaceId, ...fields };
      return (await make.post('/api/v1/connections', body)).connection.id;
    },
    async configure(fields) {
      const path = `/api/v1/workspaces/${workspaceId}/integrations`;
      return (await make.post(path, { integrationName: 'mail', ...fields })).integration.id;
    },
    send: (fields = {}) => ({ workspaceId, integrationName: 'mail', actionName: 'send', input: { to: 'x' }, ...fields }),
  };
}
