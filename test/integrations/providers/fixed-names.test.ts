import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { openCatalog } from '../../../integrations/catalog.ts';

const TYPES: Record<string, string> = { K: 'SECRET_TEXT', B: 'BASIC_AUTH', C: 'CUSTOM_AUTH', O: 'OAUTH2' };
const FIXED = load(readFileSync(join(import.meta.dirname, 'fixed-names.yaml'), 'utf8')) as Record<string, [string, ...string[]]>;

const catalog = openCatalog();

test('the catalogue lists at least 80 integrations, among them all integrations with fixed names', () => {
  expect(catalog.list().length).toBeGreaterThanOrEqual(80);
  expect(Object.keys(FIXED)).toHaveLength(60);
  expect(catalog.list().map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(FIXED)));
});

test.each(Object.entries(FIXED))('%s has its fixed actions and account types', (name, [auth, ...actions]) => {
  const found = catalog.get(name);
  expect([...found.actions.keys()]).toEqual(expect.arrayContaining(actions));
  expect(found.auth!.map(({ type }) => type)).toEqual(expect.arrayContaining([...auth].map((letter) => TYPES[letter])));
});
