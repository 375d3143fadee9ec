import fc from 'fast-check';
import { type Field, textIndex } from '../../domain/text-index.ts';
import { stemOf, wordsIn } from '../../domain/word-stems.ts';

const FIELDS: Field<string>[] = [{ textOf: (text) => text, weight: 1, usualWords: 3 }];

function found(documents: readonly string[], query: string): string[] {
  return textIndex(documents, FIELDS)
    .search(query, 100)
    .places.map((place) => documents[place]!);
}

test.each([
  ['create', ['creates', 'created', 'creating', 'creation']],
  ['repository', ['repositories']],
  ['get', ['gets', 'getting']],
  ['batch', ['batches', 'batching']],
  ['message', ['messages', 'messaging']],
  ['address', ['addresses', 'addressed']],
])('%s and its other forms have one stem', (word, forms) => {
  expect(forms.map(stemOf)).toEqual(forms.map(() => stemOf(word)));
});

test('words are parted at capitals and signs, without accents, in any script', () => {
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

test('the exact word comes before a synonym, a longer word and a mistyped one', () => {
  expect(found(['fetch it', 'getaway it', 'get it'], 'get')).toEqual(['get it', 'fetch it', 'getaway it']);
  expect(found(['remove', 'delete'], 'delete')).toEqual(['delete', 'remove']);
  expect(found(['channels', 'chanels'], 'chanels')[0]).toBe('chanels');
});

test('short words are taken as they are written, and long ones may have two mistakes', () => {
  expect(found(['tap'], 'tip')).toEqual([]);
  expect(found(['repository'], 'repostiroy')).toEqual(['repository']);
});

test('words written together or apart are the same', () => {
  expect(found(['web page', 'other'], 'webpage')).toEqual(['web page']);
  expect(found(['timezone', 'other'], 'time zone')).toEqual(['timezone']);
});

test('what fits equally keeps its order, a limit cuts it, and the total counts all', () => {
  const documents = Array.from({ length: 50 }, () => 'a file');
  const index = textIndex(documents, FIELDS);
  expect(index.search('file', 3)).toEqual({ places: [0, 1, 2], total: 50 });
  expect(index.search('file', 3, (place) => place % 10 === 9)).toEqual({ places: [9, 19, 29], total: 5 });
  expect(index.search('', 2, (place) => place > 47)).toEqual({ places: [48, 49], total: 2 });
});

test('any word of a document finds it, whatever the query and the documents hold', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), text, (documents, query) => {
      const index = textIndex(documents, FIELDS);
      const { places, total } = index.search(query, 100);
      expect(new Set(places).size).toBe(total);
      for (const [place, document] of documents.entries())
        for (const word of wordsIn(document)) expect(index.search(`${word} ${word}`, 100).places).toContain(place);
    }),
  );
});
