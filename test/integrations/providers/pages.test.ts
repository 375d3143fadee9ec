import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { providerNames, readProviderDocument } from '../../../integrations/declarative/load-providers.ts';
import { providerPage } from '../../../provider-kit/provider-page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'integrations/providers');
const PAGES = join(ROOT, 'docs/providers');

test.each(providerNames(FOLDER))('the page of %s is the output of `npm run provider -- docs`', (name) => {
  const written = readFileSync(join(PAGES, `${name}.md`), 'utf8');
  expect(written).toBe(providerPage(name, readProviderDocument(join(FOLDER, `${name}.yaml`))));
});

test('every page has a provider', () => {
  expect(readdirSync(PAGES).sort()).toEqual(providerNames(FOLDER).map((name) => `${name}.md`));
});

test.each(providerNames(FOLDER))('%s has no description that an unquoted comma cuts off', (name) => {
  expect(JSON.stringify(readProviderDocument(join(FOLDER, `${name}.yaml`)))).not.toMatch(/"[^"]* [^"]*":null/);
});
