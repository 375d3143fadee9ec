import { openStateBed } from './state-bed.ts';

/**
 * Opens a test bed for agent memory. `run` acts for one end user, and `forget` switches to a new
 * end user.
 */
export async function openMemoryBed() {
  const bed = await openStateBed();
  let users = 1;
  const endUserId = () => `user-${users}`;
  const run = (action: string, input: object = {}) => bed.run(`agent-memory.${action}`, input, { endUserId: endUserId() });

  /** Inserts rows directly. Columns are SQL expressions in which `n` is the row number. */
  const fill = async (table: string, count: number, columns: Record<string, string>) => {
    const { orgId, workspaceId } = bed.ours;
    const owner = { org_id: `'${orgId}'`, workspace_id: `'${workspaceId}'`, scope: "'end_user'", scope_key: `'${endUserId()}'` };
    const all = Object.entries({ ...owner, ...columns });
    const [names, values] = [all.map(([name]) => name).join(', '), all.map(([, value]) => value).join(', ')];
    await bed.host.db.raw(`insert into ${table} (${names}) select ${values} from generate_series(1, ${count}) as n`);
  };

  return {
    run,
    create: (...entities: object[]) => run('create_entities', { entities }),
    relate: (from: string, type: string, to: string) => run('create_relations', { relations: [{ from, type, to }] }),
    fill,
    fillEntities: (count: number, sizeBytes = 10) =>
      fill('memory_entities', count, { name: "'e' || n", type: "'filler'", observations: "'{}'", size_bytes: `${sizeBytes}` }),
    forget: () => {
      users += 1;
    },
    close: bed.close,
  };
}

/** A person. */
export const ada = { name: 'Ada', type: 'person', observations: ['likes tea', 'works at Engine Ltd'] };
/** The company where Ada works. */
export const engine = { name: 'Engine Ltd', type: 'company' };
