import { toPaging } from '../../integrations/declarative/paging.ts';
import { valueAt } from '../../integrations/declarative/value-at.ts';
import { nextInLink, pageQuery, pageSchemas } from '../../integrations/provider-paging.ts';

const cursorIn = (link: string) => nextInLink('page')({ status: 200, headers: { link }, body: null, input: {} });

test('the next page is read from a Link header', () => {
  const first = '<https://api.example.com/items?page=1>; rel="first"';
  expect(cursorIn(`${first}, <https://api.example.com/items?page=3&x=1>; title="More"; rel="next"`)).toBe('3');
  expect(cursorIn('</items?page=4>;rel=next')).toBe('4');
  expect(cursorIn(first)).toBeUndefined();
});

test.each(['<', '<>', '<>;', '; ', '<a>; '])('a Link header of many %j is parsed in linear time', (part) => {
  const link = part.repeat(100_000);
  const before = process.threadCpuUsage();
  expect(cursorIn(link)).toBeUndefined();
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1000);
});

test('the input for the page size has the bounds of the API', () => {
  const limitOf = (size: { default: number; min?: number; max: number }) => pageSchemas(toPaging({ size, next: 'next' })).input.limit;
  expect(limitOf({ default: 20, min: 5, max: 50 })).toMatchObject({ minimum: 5, maximum: 50, default: 20 });
  expect(limitOf({ default: 20, max: 50 })).toMatchObject({ minimum: 1 });
});

describe('if the next page can be in one of several parameters', () => {
  const { next, ...paging } = toPaging({ cursor: ['$skiptoken', '$skip'], next: { url: '@odata.nextLink' } });
  const nextOf = (address: string) => next({ status: 200, headers: {}, body: { '@odata.nextLink': address }, input: {} });

  test('the cursor names the parameter, and only this parameter of the address is used', () => {
    expect(nextOf('https://api.example.com/items?$filter=x&%24skip=20&$top=10')).toBe('$skip=20');
    expect(nextOf('https://api.example.com/items?$skipToken=a%3Db')).toBe('$skiptoken=a=b');
    expect(nextOf('https://api.example.com/items?$filter=x')).toBeUndefined();
    expect(pageQuery({ ...paging, next }, { cursor: '$skiptoken=a=b' })).toEqual({ $skiptoken: 'a=b' });
  });

  test.each(['20', '$filter=x', '$skip'])('the cursor %s is refused', (cursor) => {
    expect(() => pageQuery({ ...paging, next }, { cursor })).toThrow('cursor is not a nextCursor that this action returned.');
  });
});

test('the last segment of an address is the cursor; an empty list has no cursor', () => {
  const { next, isSegment } = toPaging({ segment: true, next: { segmentOf: 'paging.next', items: 'items' } });
  const nextOf = (items: unknown[], address: unknown) =>
    next({ status: 200, headers: {}, body: { items, paging: { next: address } }, input: {} });
  expect(isSegment).toBe(true);
  expect(nextOf([1], 'https://api.example.com/items/W3%3D?limit=1')).toBe('W3=');
  expect(nextOf([], 'https://api.example.com/items/W3%3D')).toBeUndefined();
  expect(nextOf([1], null)).toBe('');
  expect(nextOf([1], 'https://api.example.com/items/%zz')).toBeUndefined();
});

test('a key with dots is found at the end of a path', () => {
  expect(valueAt({ items: [{ '@odata.type': 'x' }] }, 'items.0.@odata.type')).toBe('x');
  expect(valueAt({ 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(2);
  expect(valueAt({ 'a.b': 1 }, 'a.c')).toBeUndefined();
});
