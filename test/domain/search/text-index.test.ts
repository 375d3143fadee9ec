import fc from 'fast-check';
import { type Field, textIndex } from '../../../domain/search/text-index.ts';
import { stemOf, wordsIn } from '../../../domain/search/word-stems.ts';

const FIELDS: Field<string>[] = [{ textOf: (text) => text, weight: 1, usualWords: 3 }];

function found(documents: readonly string[], query: string): string[] {
  return textIndex(documents, FIELDS)
    .search(query, 100)
    .ids.map((id) => documents[id]!);
}

test.each([
  ['create', ['creates', 'created', 'creating', 'creation']],
  ['repository', ['repositories']],
  ['get', ['gets', 'getting']],
  ['batch', ['batches', 'batching']],
  ['message', ['messages', 'messaging']],
  ['address', ['addresses', 'addressed']],
])('the forms of %s have the same stem', (word, forms) => {
  expect(forms.map(stemOf)).toEqual(forms.map(() => stemOf(word)));
});

test('text is split at capitals and punctuation, and loses its accents', () => {
  expect(wordsIn('generateUUIDs4Me, kv-store_put; Café ÜBER ключ')).toEqual([
    'generate',
    'uuids4',
    'me',
    'kv',
    'store',
    'put',
    'cafe',
    'uber',
    'ключ',
  ]);
});

test('an exact match ranks before a synonym, a longer word and a word with a typing error', () => {
  expect(found(['fetch it', 'getaway it', 'get it'], 'get')).toEqual(['get it', 'fetch it', 'getaway it']);
  expect(found(['remove', 'delete'], 'delete')).toEqual(['delete', 'remove']);
  expect(found(['channels', 'chanels'], 'chanels')[0]).toBe('chanels');
});

test('only long words may have typing errors', () => {
  expect(found(['tap'], 'tip')).toEqual([]);
  expect(found(['repository'], 'repostiroy')).toEqual(['repository']);
});

test('a compound word matches, written as one word or as two', () => {
  expect(found(['web page', 'other'], 'webpage')).toEqual(['web page']);
  expect(found(['timezone', 'other'], 'time zone')).toEqual(['timezone']);
});

test('equal matches keep their order, and the total counts matches beyond the limit', () => {
  const documents = Array.from({ length: 50 }, () => 'a file');
  const index = textIndex(documents, FIELDS);
  expect(index.search('file', 3)).toEqual({ ids: [0, 1, 2], total: 50 });
  expect(index.search('file', 3, (id) => id % 10 === 9)).toEqual({ ids: [9, 19, 29], total: 5 });
  expect(index.search('', 2, (id) => id > 47)).toEqual({ ids: [48, 49], total: 2 });
});

test('any word of a document finds the document', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), text, (documents, query) => {
      const index = textIndex(documents, FIELDS);
      const { ids, total } = index.search(query, 100);
      expect(new Set(ids).size).toBe(total);
      for (const [id, document] of documents.entries())
        for (const word of wordsIn(document)) expect(index.search(`${word} ${word}`, 100).ids).toContain(id);
    }),
  );
});
