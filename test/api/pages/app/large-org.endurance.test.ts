import { amountsOf } from '../../../support/dashboard/amounts.ts';
import { fillLargeOrg, type Heaviest, pathsOf } from '../../../support/dashboard/large-org.ts';
import { extent } from '../../../support/extent.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { readPlans } from '../../read-plans.ts';
import { type AppMember, aMember } from './app-bed.ts';

const GROWING = ['approvals', 'calls', 'code_runs', 'webhook_deliveries', 'activity', 'activity_seals', 'receipts'];

/**
 * Maximum share of a table's rows that a page may read. The rows cover 30 days, and pages count the
 * last 7 days.
 */
const MOST_READ = 0.3;
/** The number of rows that a page may always read, for searches without an index. */
const MAX_SEARCHED = 20_000;

const AMOUNTS = amountsOf(extent({ whole: 1, sample: 0.05 }));

let bed: ApiBed;
let owner: AppMember;
let heaviest: Heaviest;
beforeAll(async () => {
  bed = await openApiBed();
  owner = await aMember(bed, 'owner');
  heaviest = await fillLargeOrg(bed.patient, bed.orgId, AMOUNTS);
}, 300_000);
afterAll(() => bed?.close());

test('no page of the dashboard scans a growing table or reads more of its rows than allowed', async () => {
  const { rows } = await bed.patient.raw('select relname as name, reltuples as "rowCount" from pg_class where relname = any(?)', [GROWING]);
  const sizes = new Map<string, number>(rows.map(({ name, rowCount }: { name: string; rowCount: number }) => [name, rowCount]));
  const found: string[] = [];
  for (const path of pathsOf(heaviest)) {
    const page = path === '/' ? '' : path;
    const statuses: number[] = [];
    const plans = await readPlans(bed.gateway.db, GROWING, async () => statuses.push((await owner.get(page)).status));
    if (statuses[0]! >= 500) found.push(`${path} answers ${statuses[0]}`);
    for (const plan of plans)
      for (const { table, isWhole, rowsRead } of scansOf(plan)) {
        if (isWhole) found.push(`${path} scans ${table}:\n${plan}`);
        else if (rowsRead > Math.max(MAX_SEARCHED, MOST_READ * sizes.get(table)!))
          found.push(`${path} reads ${rowsRead} rows of ${table}:\n${plan}`);
      }
  }
  expect(found).toEqual([]);
});

interface Scan {
  table: string;
  /** True for a scan without an index. */
  isWhole: boolean;
  /** The number of rows read, including those that a condition then removes. */
  rowsRead: number;
}

function scansOf(plan: string): Scan[] {
  const scans: Scan[] = [];
  let loops = 1;
  let last: Scan | undefined;
  for (const line of plan.split('\n')) {
    const node = /(\w[\w ]*Scan)(?: Backward)?(?: using \w+)? on (\w+)\b.*\(actual .*rows=([\d.]+) loops=(\d+)/.exec(line);
    if (node) {
      const [, kind, table, rows, times] = node;
      loops = Number(times);
      last = { table: table!, isWhole: kind!.endsWith('Seq Scan'), rowsRead: Math.round(Number(rows) * loops) };
      if (GROWING.includes(last.table)) scans.push(last);
    } else if (line.includes('->')) last = undefined;
    const removed = /Rows Removed by (?:Filter|Index Recheck): ([\d.]+)/.exec(line);
    if (removed && last) last.rowsRead += Math.round(Number(removed[1]) * loops);
  }
  return scans;
}
