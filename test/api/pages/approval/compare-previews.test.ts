import fc from 'fast-check';
import { comparePreviews } from '../../../../api/pages/approval/compare-previews.ts';

test('each field is reported by its path as changed, added, removed or unchanged', () => {
  const { changes, same, uncompared, omitted } = comparePreviews(
    { to: 'ada', amount: 10, gone: { deep: 1 }, place: { city: 'London', zip: 'N1' }, flag: true },
    { to: 'ada', amount: 12, place: { city: 'Paris', zip: 'N1' }, flag: true, extra: null },
  );
  expect(changes).toEqual([
    { path: 'amount', kind: 'changed', before: { kind: 'literal', text: '10' }, after: { kind: 'literal', text: '12' } },
    { path: 'place.city', kind: 'changed', before: { kind: 'text', text: 'London' }, after: { kind: 'text', text: 'Paris' } },
    { path: 'extra', kind: 'added', after: { kind: 'nothing', words: 'null' } },
    { path: 'gone', kind: 'removed', before: expect.objectContaining({ kind: 'fields' }) },
  ]);
  expect(same).toEqual(['to', 'place.zip', 'flag']);
  expect([uncompared, omitted]).toEqual([[], 0]);
});

test('equal list items are matched at any position', () => {
  const { changes, same } = comparePreviews({ to: ['ada', 'bob', { n: 1, m: 2 }] }, { to: ['new', 'ada', { n: 1, m: 3 }] });
  expect(changes.map(({ path, kind }) => `${kind} ${path}`)).toEqual(['added to.0', 'removed to.1', 'changed to.2.m']);
  expect(same).toEqual(['to.1', 'to.2.n']);
});

test('a changed long text is reported in parts, not as a whole', () => {
  const [change] = comparePreviews({ text: `${'word '.repeat(20)}old` }, { text: `${'word '.repeat(20)}new` }).changes;
  expect(change!.text!.parts.slice(-2)).toEqual([
    { kind: 'removed', text: 'old' },
    { kind: 'added', text: 'new' },
  ]);
  expect(change).not.toHaveProperty('before');
});

test('a value that is hidden on either side is reported only as hidden', () => {
  const before = { a: '[redacted]', b: 'seen', c: 'x?token=[redacted]', d: '[redacted]', '[redacted]': 1, e: [['k', '[redacted]']] };
  const after = { a: '[redacted]', b: '[redacted]', c: 'y?token=[redacted]', d: 'seen now', '[redacted]': 2, e: [['k', '[redacted]']] };
  const { changes, same, uncompared } = comparePreviews(before, after);
  expect(changes).toEqual([]);
  expect(uncompared).toEqual(['a', 'b', 'c', 'd', '[redacted]', 'e.0']);
  expect(same).toEqual([]);
});

test('the earlier value of a hidden field is hidden everywhere', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('field', 'list', 'items', 'deep'), (value, place) => {
      const put = (item: unknown) =>
        ({ field: { x: item }, list: { x: [item, 1] }, items: { x: [{ y: item }] }, deep: { x: { y: { z: item } } } })[place];
      const secret = { SECRET: ['S3CRET', value] };
      expect(JSON.stringify(comparePreviews(put(secret), put('[redacted]')))).not.toContain('S3CRET');
    }),
  );
});

test('cut texts, cut lists and deep values are not reported as unchanged', () => {
  const cut = {
    text: 'abc… [12 more characters]',
    list: ['a', '[3 more items]'],
    deep: '[deeper values are not shown]',
    '[more]': '5 more fields',
  };
  const { changes, same, uncompared } = comparePreviews(cut, structuredClone(cut));
  expect([changes, same]).toEqual([[], ['list.0']]);
  expect(uncompared).toEqual(['text', 'list.1', 'deep', '[more]']);
});

test("changes above the page's limit are counted", () => {
  const of = (value: number) => Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, value]));
  const { changes, omitted } = comparePreviews(of(1), of(2));
  expect(changes.length + omitted).toBe(100);
  expect(omitted).toBeGreaterThan(0);
});

test('a removed list item stays hidden if the list now has a hidden value', () => {
  const before = {
    to: [
      { name: 'ada', note: 'S3CRET' },
      { name: 'bob', note: 'S3CRET' },
    ],
  };
  const { changes, uncompared } = comparePreviews(before, { to: [{ name: 'bob', note: '[redacted]' }] });
  expect(JSON.stringify(changes)).not.toContain('S3CRET');
  expect(changes.map(({ path, kind }) => `${kind} ${path}`)).toContain('removed to.1');
  expect(uncompared).toEqual(['to.0.note']);
});
