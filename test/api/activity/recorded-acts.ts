import type { ApiBed } from '../api-bed.ts';

interface Row {
  type: string;
  workspaceId: string | null;
  details: Record<string, unknown>;
}

/** The rows that `act` adds to the activity log, oldest first, as the API returns them. */
export async function writtenBy(bed: ApiBed, act: () => Promise<unknown>): Promise<Row[]> {
  const read = async (): Promise<(Row & { id: number })[]> => {
    const { activity } = await bed.api.must(200).get('/api/v1/activity?limit=100');
    return activity;
  };
  const before = (await read())[0]?.id ?? 0;
  await act();
  return (await read()).filter(({ id }) => id > before).reverse();
}

/** A change through the API, and the types of the rows that it adds to the activity log. */
export interface Act {
  types: string[];
  /**
   * Makes the change. Returns what each row must contain, and the secrets that no row may contain.
   */
  act(): Promise<{ subject: object; secrets?: string[] }>;
  /** Whether the rows concern the whole organization, not a workspace. */
  isOrgWide?: true;
}

/**
 * Makes the change. Checks that each row names the bed's key and the subject, and has no secret.
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
