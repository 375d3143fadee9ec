import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issuesOf } from './run-action.ts';
import { openStateBed } from './state-bed.ts';

let bed: Awaited<ReturnType<typeof openStateBed>>;
let chainId: string;
let chains = 0;
beforeAll(async () => {
  bed = await openStateBed();
});
beforeEach(() => {
  chains += 1;
  chainId = `chain-${chains}`;
});
afterAll(() => bed.close());

const run = (action: string, input: object = {}) => bed.run(`sequential-thinking.${action}`, { chainId, ...input });
const add = (content: string) => run('add_thought', { content });
const branch = (thoughtId: number, branchName: string, content: string) => run('branch_thought', { thoughtId, branchName, content });
const revise = (thoughtId: number, content: string) => run('revise_thought', { thoughtId, content });
const failure = (message: string) => ({ code: 'ACTION_FAILED', message: expect.stringContaining(message) });

interface Seen {
  thoughtId: number;
  content: string;
  earlier: string[];
  follows: number | null;
}
const chain = async (includeBranches?: boolean) =>
  (await run('get_chain', { includeBranches })) as unknown as {
    thoughts: Seen[];
    branches: { branchName: string; fromThoughtId: number; thoughtCount: number; thoughts?: Seen[] }[];
  };
const brief = (thoughts: Seen[] = []) => thoughts.map(({ thoughtId, follows, content }) => [thoughtId, follows, content]);

async function fill(count: number, content = 'x') {
  await bed.host.db.raw(
    `insert into thoughts (org_id, workspace_id, scope, scope_key, chain_id, number, follows, content)
     select ?, ?, 'end_user', 'user-1', ?, n, nullif(n - 1, 0), ? from generate_series(1, ?::int) as n`,
    [bed.ours.orgId, bed.ours.workspaceId, chainId, content, count],
  );
}

describe('the main line', () => {
  test('is numbered from 1, and each thought follows the previous thought', async () => {
    expect(await add('first')).toEqual({ chainId, thoughtId: 1, follows: null, thoughtCount: 1 });
    expect(await add('second')).toEqual({ chainId, thoughtId: 2, follows: 1, thoughtCount: 2 });
    expect(await run('get_chain')).toEqual({
      ...{ chainId, found: true, thoughtCount: 2, branches: [] },
      thoughts: ['first', 'second'].map((content, i) => ({
        ...{ thoughtId: i + 1, content, follows: i === 0 ? null : 1, earlier: [] },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      })),
    });
  });

  test('of one chain is separate from other chains', async () => {
    await add('ours');
    expect(await run('add_thought', { chainId: `${chainId}-other`, content: 'theirs' })).toMatchObject({ thoughtId: 1 });
    expect(brief((await chain()).thoughts)).toEqual([[1, null, 'ours']]);
  });

  test('is empty for a missing chain', async () => {
    expect(await run('get_chain')).toEqual({ chainId, found: false, thoughtCount: 0, thoughts: [], branches: [] });
    expect(await run('summarize_chain')).toMatchObject({ found: false, thoughtCount: 0, startedAt: null, updatedAt: null });
  });

  test('fifty concurrent thoughts are kept, and numbered without gaps or duplicates', async () => {
    await add('start');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? add(`main ${i}`) : branch(1, i % 4 ? 'a' : 'b', `branch ${i}`))),
    );
    const numbers = answers.map(({ thoughtId }) => thoughtId as number).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => i + 2));
    const { thoughts, branches } = await chain(true);
    for (const line of [thoughts, ...branches.map(({ thoughts }) => [{ thoughtId: 1 }, ...thoughts!])] as Seen[][])
      expect(line.slice(1).map(({ follows }) => follows)).toEqual(line.slice(0, -1).map(({ thoughtId }) => thoughtId));
  });
});

describe('branches', () => {
  beforeEach(async () => {
    for (const content of ['one', 'two']) await add(content);
  });

  test('are continued by name from their start or from any of their thoughts', async () => {
    expect(await branch(1, 'other', 'what if')).toEqual({ chainId, branchName: 'other', thoughtId: 3, follows: 1, thoughtCount: 3 });
    await add('three');
    expect(await branch(3, 'other', 'then')).toMatchObject({ thoughtId: 5, follows: 3 });
    expect(await branch(1, 'other', 'finally')).toMatchObject({ thoughtId: 6, follows: 5 });
    const { thoughts, branches } = await chain(true);
    expect(brief(thoughts).map(([id]) => id)).toEqual([1, 2, 4]);
    expect(branches).toMatchObject([{ branchName: 'other', fromThoughtId: 1, thoughtCount: 3 }]);
    expect(brief(branches[0]?.thoughts)).toEqual([
      [3, 1, 'what if'],
      [5, 3, 'then'],
      [6, 5, 'finally'],
    ]);
  });

  test('a branch can start from a thought of another branch', async () => {
    await branch(2, 'a', 'x');
    expect(await branch(3, 'b', 'y')).toMatchObject({ thoughtId: 4, follows: 3 });
    expect((await chain()).branches.map(({ branchName, fromThoughtId }) => [branchName, fromThoughtId])).toEqual([
      ['a', 2],
      ['b', 3],
    ]);
  });

  test('branches are listed with their thoughts only if requested', async () => {
    await branch(2, 'a', 'x');
    for (const include of [undefined, false])
      expect((await chain(include)).branches).toEqual([{ branchName: 'a', fromThoughtId: 2, thoughtCount: 1 }]);
  });

  test('two branches from different thoughts cannot have the same name', async () => {
    await branch(1, 'a', 'x');
    await expect(branch(2, 'a', 'y')).rejects.toMatchObject(failure('starts from thought 1, not 2'));
    expect(await run('get_chain')).toMatchObject({ thoughtCount: 3 });
  });

  test('a branch requires an existing thought', async () => {
    await expect(branch(3, 'a', 'x')).rejects.toMatchObject(failure('has no thought 3: its thoughts are 1 to 2'));
    await expect(run('branch_thought', { chainId: 'none', thoughtId: 1, branchName: 'a', content: 'x' })).rejects.toMatchObject(
      failure('There is no chain "none"'),
    );
  });
});

describe('revisions', () => {
  test('replace the text and keep the earlier texts, in order', async () => {
    await add('first');
    await add('second');
    expect(await revise(1, 'better')).toEqual({ chainId, thoughtId: 1, revision: 1 });
    expect(await revise(1, 'best')).toMatchObject({ revision: 2 });
    const { thoughts } = await chain();
    expect(thoughts.map(({ content, earlier }) => [content, earlier])).toEqual([
      ['best', ['first', 'better']],
      ['second', []],
    ]);
    expect(await add('third')).toMatchObject({ thoughtId: 3, follows: 2, thoughtCount: 3 });
  });

  test('a revised thought stays in its branch', async () => {
    await add('one');
    await branch(1, 'a', 'x');
    await revise(2, 'y');
    expect((await chain(true)).branches).toMatchObject([{ thoughtCount: 1, thoughts: [{ thoughtId: 2, content: 'y', earlier: ['x'] }] }]);
  });

  test('a revision of a missing thought or chain is refused', async () => {
    await expect(revise(1, 'x')).rejects.toMatchObject({ ...failure('There is no chain'), details: { reason: 'not_found' } });
    await add('one');
    await expect(revise(2, 'x')).rejects.toMatchObject(failure('has no thought 2'));
  });

  test('concurrent revisions of one thought are all kept', async () => {
    await add('0');
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => revise(1, `text ${i}`)));
    expect(answers.map(({ revision }) => revision as number).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await chain()).thoughts[0]?.earlier).toHaveLength(10);
  });
});

describe('the summary', () => {
  test('contains only counts and the thoughts in order, and cuts long thoughts', async () => {
    await add('Plan\n  the   trip');
    await add('x'.repeat(300));
    await branch(1, 'by train', 'slower');
    await revise(1, 'Plan the journey');
    expect(await run('summarize_chain')).toEqual({
      ...{ chainId, found: true, thoughtCount: 3, mainLineCount: 2, branchCount: 1, revisionCount: 1 },
      ...{ branches: [{ branchName: 'by train', fromThoughtId: 1, thoughtCount: 1 }], revisedThoughtIds: [1] },
      ...{ startedAt: expect.any(String), updatedAt: expect.any(String) },
      summary: [
        `Chain ${chainId}: 2 thoughts on the main line, 1 in 1 branch, 1 revision.`,
        '1. Plan the journey (revised once)',
        `2. ${'x'.repeat(200)}…`,
        'Branch by train, from thought 1:',
        '3. slower',
      ].join('\n'),
    });
  });

  test('the summary of a long chain shows both ends, and says how many thoughts are omitted', async () => {
    await fill(53);
    const { summary } = (await run('summarize_chain')) as { summary: string };
    const lines = summary.split('\n');
    expect(lines).toHaveLength(52);
    expect(lines.slice(25, 28)).toEqual(['25. x', '… 3 thoughts left out …', '29. x']);
  });

  test('a cut thought does not end in a lone surrogate', async () => {
    await add(`${'x'.repeat(199)}🙂 and more`);
    expect((await run('summarize_chain')).summary).toContain(`1. ${'x'.repeat(199)}…`);
  });
});

describe('limits', () => {
  test('a chain has at most 1,000 thoughts, branches included, and a full chain can be revised', async () => {
    await fill(999);
    expect(await branch(1, 'a', 'last')).toMatchObject({ thoughtId: 1000 });
    await expect(add('more')).rejects.toMatchObject(failure('1000 thoughts'));
    await expect(branch(1, 'b', 'more')).rejects.toMatchObject(failure('1000 thoughts'));
    expect(await revise(1000, 'better')).toMatchObject({ revision: 1 });
  });

  test('a chain has at most 512 kB, earlier texts included', async () => {
    await fill(31, 'x'.repeat(16 * 1024));
    await add('y'.repeat(16 * 1024 - 1));
    await add('z');
    await expect(revise(1, 'a')).rejects.toMatchObject(failure('524288 bytes'));
    await expect(add('a')).rejects.toMatchObject(failure('524288 bytes'));
    expect(await run('get_chain')).toMatchObject({ thoughtCount: 33 });
  });

  const input = (fields: object) => ({ chainId: 'c', thoughtId: 1, branchName: 'b', content: 'x', ...fields });
  test.each([
    ['an empty chain id', { chainId: '' }, 'chainId'],
    ['a chain id of 257 bytes', { chainId: 'x'.repeat(257) }, 'chainId'],
    ['thought 0', { thoughtId: 0 }, 'thoughtId'],
    ['half a thought', { thoughtId: 1.5 }, 'thoughtId'],
    ['a thought by text', { thoughtId: '1' }, 'thoughtId'],
    ['a branch name of 129 bytes', { branchName: 'x'.repeat(129) }, 'branchName'],
    ['an empty thought', { content: '' }, 'content'],
    ['20,001 characters', { content: 'x'.repeat(20_001) }, 'content'],
    ['NUL', { content: '\u0000' }, 'content'],
    ['an unknown key', { mood: 'good' }, 'mood'],
  ])('%s is refused', (_, fields, path) =>
    expect(issuesOf('sequential-thinking.branch_thought', input(fields)).map((issue) => issue.path)).toEqual([path]),
  );
  test('the longest ids, names and thoughts are accepted', () =>
    expect(
      issuesOf(
        'sequential-thinking.branch_thought',
        input({ chainId: 'é'.repeat(128), branchName: 'é'.repeat(64), content: 'x'.repeat(20_000) }),
      ),
    ).toEqual([]));
});
