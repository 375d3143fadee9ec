import { type Fake, openFake } from '../../integrations/providers/provider-bed.ts';
import type { Caller } from '../../support/caller.ts';
import { type Mailbox, openMailbox } from '../../support/mailbox.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aWorkspace, withWorkspaceKey } from '../checked-caller.ts';
import { aStranger } from '../end-users/end-user-bed.ts';
import { aMarkedWorld, type MarkedWorld } from './a-marked-world.ts';
import { FOREIGN_FIELDS, type ForeignField, IDS_BY_NAME } from './foreign-fields.ts';
import { type IdField, idFields, withField } from './id-fields.ts';
import { MATRIX } from './matrix.ts';
import { mentionsOf } from './mentions.ts';

type Principal = 'stranger' | 'neighbour';

const fields = idFields();
const tried = fields.flatMap((field) => {
  const expected = FOREIGN_FIELDS[field.name];
  return typeof expected === 'object' ? [[field.name, field, expected] as const] : [];
});
const refused = tried.filter(([, , { isHarmless }]) => !isHarmless);
const harmless = tried.filter(([, , { isHarmless }]) => isHarmless);

let bed: ApiBed;
let openai: Fake;
let mailbox: Mailbox;
let world: MarkedWorld;
/** Other keys may not read these ids and tokens, or store references to them. */
let marks: string[];
let mentions: Record<string, string>;
let outside: Record<Principal, { caller: Caller; own: MarkedWorld }>;

beforeAll(async () => {
  [openai, mailbox] = await Promise.all([openFake('https://api.openai.com'), openMailbox()]);
  bed = await openApiBed({ SMTP_URL: mailbox.url, MAIL_FROM: 'gateway@example.com' });
  Object.assign(bed.gateway, { outbound: openai.outbound });
  openai.answers({ body: { data: [{ id: 'gpt-4', object: 'model', created: 1, owned_by: 'x' }] } });
  world = await aMarkedWorld(bed, 'only-here', bed);
  marks = [...Object.values(world), ...world.approvalIds, ...Object.values(world.tokens)].filter(
    (value): value is string => typeof value === 'string' && value !== world.only,
  );
  const stranger = await aStranger(bed);
  const nextDoor = { ...bed, workspaceId: await aWorkspace(bed, 'next-door') };
  outside = {
    stranger: { caller: stranger.api, own: await aMarkedWorld(bed, 'only-abroad', stranger) },
    neighbour: {
      caller: await withWorkspaceKey(bed, [nextDoor.workspaceId], { decide: true }),
      own: await aMarkedWorld(bed, 'only-next-door', nextDoor),
    },
  };
  mentions = await mentionsOf(bed.gateway.db, marks);
});
afterEach(async () => {
  const before = mentions;
  mentions = await mentionsOf(bed.gateway.db, marks);
  expect(mentions).toEqual(before);
});
afterAll(() => Promise.all([bed?.close(), openai?.close(), mailbox?.close()]));

test('FOREIGN_FIELDS lists exactly the id fields of queries and bodies', () => {
  expect(Object.keys(FOREIGN_FIELDS).sort()).toEqual(fields.map(({ name }) => name).sort());
});

async function send({ caller, own }: { caller: Caller; own: MarkedWorld }, { route, part, path }: IdField, row: ForeignField, id: string) {
  const { ids, query, body } = MATRIX[`${route.method} ${route.path}`]!;
  const named = (row.ids ?? ids)?.(own) ?? {};
  const known = { query: query?.(own) ?? {}, body: body?.(own) };
  const asked = { ...known, [part]: withField({ ...known[part], ...row.with?.(own) }, path, id) };
  const address = route.path.replace(/\{(\w+)\}/g, (_, name) => named[name]!);
  const answer = await caller[route.method](`${address}?${new URLSearchParams(asked.query)}`, asked.body);
  return { said: answer.body?.code ? `${answer.status} ${answer.body.code}` : `${answer.status}`, text: JSON.stringify(answer.body) };
}

function idsFor({ path }: IdField, { values }: ForeignField, of: MarkedWorld): string[] {
  return (values ?? IDS_BY_NAME[path.findLast((part) => part !== '[]')!]!)(of);
}

describe.each(['stranger', 'neighbour'] as const)('a %s in their own workspace', (principal) => {
  async function tryForeign(field: IdField, row: ForeignField) {
    for (const id of idsFor(field, row, world)) {
      const { said, text } = await send(outside[principal], field, row, id);
      expect([id, said]).toEqual([id, row.says[principal]]);
      // A key of the same organization may learn which workspace it cannot reach.
      const known = said === '403 SCOPE_DENIED' ? [id, world.workspaceId] : [id];
      expect(marks.filter((mark) => !known.includes(mark) && text.includes(mark))).toEqual([]);
    }
  }

  test.each(refused)('is refused only because of the foreign id: %s', async (_, field, row) => {
    await tryForeign(field, row);
    const { org, here } = MATRIX[`${field.route.method} ${field.route.path}`]!.expect;
    const [own] = idsFor(field, row, outside[principal].own) as [string];
    const { said } = await send(outside[principal], field, row, own);
    expect(said).toBe(row.own ?? { stranger: org, neighbour: here }[principal]);
  });

  // These tests run last, because they create records with names from the world.
  test.each(harmless)('cannot change or see foreign records: %s', (_, field, row) => tryForeign(field, row));
});
