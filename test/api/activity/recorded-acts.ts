import type { ApiBed } from '../api-bed.ts';

interface Row {
  type: string;
  workspaceId: string | null;
  details: Record<string, unknown>;
}

/** Returns the activity rows that `act` added, oldest first. */
export async function writtenBy(bed: ApiBed, act: () => Promise<unknown>): Promise<Row[]> {
  const read = async (): Promise<(Row & { id: number })[]> => {
    const { activity } = await bed.api.must(200).get('/api/v1/activity?limit=100');
    return activity;
  };
  const before = (await read())[0]?.id ?? 0;
  await act();
  return (await read()).filter(({ id }) => id > before).reverse();
}

/** A change through the API, and the types of the activity rows that the change adds. */
export interface Act {
  types: string[];
  /** Makes the change. Each row must contain `subject` and none of `secrets`. */
  act(): Promise<{ subject: object; secrets?: string[] }>;
  /** True if the rows concern the whole organization, not the bed's workspace. */
  isOrgWide?: true;
}

/**
 * Makes the change. Expects one row for each type, in order, by the bed's key and without secrets.
 */
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
