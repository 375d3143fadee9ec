import type { ApiBed } from '../api-bed.ts';

interface Row {
  type: string;
  workspaceId: string | null;
  details: Record<string, unknown>;
}

/** What the act wrote to the log, oldest first, as the API answers it. */
export async function writtenBy(bed: ApiBed, act: () => Promise<unknown>): Promise<Row[]> {
  const read = async (): Promise<(Row & { id: number })[]> => {
    const { activity } = await bed.api.must(200).get('/api/v1/activity?limit=100');
    return activity;
  };
  const before = (await read())[0]?.id ?? 0;
  await act();
  return (await read()).filter(({ id }) => id > before).reverse();
}

/** An act through the API, and what it writes to the log. */
export interface Act {
  types: string[];
  /** Does the act. Returns the subject that each row names, and the secrets that none may have. */
  act(): Promise<{ subject: object; secrets?: string[] }>;
  /** Of the whole organization. */
  isOrgWide?: true;
}

/** Does the act: each row names the key of the bed and the subject, and no row has a secret. */
export async function expectRecorded(bed: ApiBed, { types, act, isOrgWide }: Act): Promise<void> {
  const { id: actorId } = await bed.gateway.db('api_keys').where({ org_id: bed.orgId }).first();
  let done: Awaited<ReturnType<typeof act>> | undefined;
  const rows = await writtenBy(bed, async () => {
    done = await act();
  });
  const { subject, secrets = [] } = done!;
  const workspaceId = isOrgWide ? null : bed.workspaceId;
  expect(rows).toMatchObject(types.map((type) => ({ type, actorType: 'api_key', actorId, workspaceId, ...subject })));
  for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret);
}
