import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { providerNames, readProviderDocument } from '../../../integrations/declarative/load-providers.ts';
import { factProblems } from '../../../provider-kit/compare-facts.ts';
import type { Facts } from '../../../provider-kit/read-facts.ts';

const FOLDER = join(import.meta.dirname, '../../../integrations/providers');
const FACTS = join(import.meta.dirname, 'facts');
const NAMES = readdirSync(FACTS).map((file) => file.replace('.json', ''));

/** Accepted differences, each with its reason in the file. */
const ALLOWED = JSON.parse(readFileSync(join(import.meta.dirname, 'facts-differ.json'), 'utf8')) as Record<string, Record<string, string>>;

const factsOf = (name: string) => JSON.parse(readFileSync(join(FACTS, `${name}.json`), 'utf8')) as Facts;

describe.each(NAMES)("%s, compared with the API's own document", (name) => {
  const document = readProviderDocument(join(FOLDER, `${name}.yaml`));
  const { operations, source } = factsOf(name);

  test('methods, paths, parameters and required fields', () => {
    const problems = Object.entries(document.actions).flatMap(([action, described]) => {
      const facts = operations[action];
      const found = facts ? factProblems(document, described, facts) : described.request ? ['the document has no such operation'] : [];
      return found.map((problem) => `${action}: ${problem}`);
    });
    expect(problems.sort()).toEqual(Object.keys(ALLOWED[name] ?? {}).sort());
  });

  test('names the source of the facts', () => {
    expect(document.verification?.testedAgainst).not.toBe('fake');
    expect(document.verification?.sources).toContain(`${source.package} ${source.version}, ${source.path}`);
  });
});

test('a provider tested against a document has facts from it', () => {
  const claimed = providerNames(FOLDER).filter(
    (name) => readProviderDocument(join(FOLDER, `${name}.yaml`)).verification?.testedAgainst === 'openapi',
  );
  expect(claimed.filter((name) => !existsSync(join(FACTS, `${name}.json`)))).toEqual([]);
});

/** Addresses that their vendors have announced to end, each with the announcement. */
const ENDING = [
  // https://developers.hubspot.com/changelog/v1-oauth-api-deprecation: on 16 February 2027
  { name: 'hubspot', address: 'https://api.hubapi.com/oauth/v1/' },
];

test.each(ENDING)('$name does not use $address, which will end', ({ name, address }) => {
  expect(JSON.stringify(readProviderDocument(join(FOLDER, `${name}.yaml`)).auth)).not.toContain(address);
});
