import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { providerNames, readProviderDocument } from '../../../integrations/declarative/load-providers.ts';
import { factDifferences } from '../../../provider-kit/compare-facts.ts';
import type { Facts } from '../../../provider-kit/read-facts.ts';

const FOLDER = join(import.meta.dirname, '../../../integrations/providers');
const FACTS = join(import.meta.dirname, 'facts');
const NAMES = readdirSync(FACTS).map((file) => file.replace('.json', ''));

const ALLOWED = JSON.parse(readFileSync(join(import.meta.dirname, 'facts-differ.json'), 'utf8')) as Record<string, Record<string, string>>;

const factsOf = (name: string) => JSON.parse(readFileSync(join(FACTS, `${name}.json`), 'utf8')) as Facts;

describe.each(NAMES)("%s, compared with the API's own document", (name) => {
  const document = readProviderDocument(join(FOLDER, `${name}.yaml`));
  const facts = factsOf(name);

  test('differs from the facts only in the accepted differences', () => {
    expect(factDifferences(document, facts).sort()).toEqual(Object.keys(ALLOWED[name] ?? {}).sort());
  });

  test('names the source of the facts', () => {
    expect(document.verification?.testedAgainst).not.toBe('fake');
    expect(document.verification?.sources).toContain(`${facts.source.package} ${facts.source.version}, ${facts.source.path}`);
  });
});

test('a provider that claims verification against a document has facts from that document', () => {
  const claimed = providerNames(FOLDER).filter(
    (name) => readProviderDocument(join(FOLDER, `${name}.yaml`)).verification?.testedAgainst === 'openapi',
  );
  expect(claimed.filter((name) => !existsSync(join(FACTS, `${name}.json`)))).toEqual([]);
});

/** Providers whose API has a document in an npm or PyPI package. */
const LISTED = [
  ...['github', 'gmail', 'google-sheets', 'google-drive', 'google-calendar', 'google-docs', 'notion', 'twilio', 'amazon-s3', 'slack'],
  ...['sendgrid', 'clicksend', 'zoom', 'trello', 'asana', 'gitlab', 'vercel', 'stripe', 'box', 'mailchimp', 'openai', 'elevenlabs'],
  ...['telegram-bot', 'whatsapp', 'hubspot', 'jira-cloud', 'microsoft-teams', 'microsoft-outlook', 'onedrive', 'microsoft-excel'],
];

/** Providers whose document describes another API, with the reason. */
const OF_ANOTHER_API: Readonly<Record<string, string>> = {
  gitlab:
    'api/gitlab.com.json is version 3, which GitLab removed in 2018: it identifies issues by another number, and files not by their path',
  whatsapp:
    'api/whatsapp.local.json is the API that companies ran on their own servers, with other paths than the Cloud API; it ended in 2025',
  hubspot: 'api/hubapi.com/crm.json has the cards of extensions and no contact, company or deal',
};

test('every listed document is compared, or is known to describe another API', () => {
  expect(LISTED.filter((name) => !NAMES.includes(name)).sort()).toEqual(Object.keys(OF_ANOTHER_API).sort());
});

const ENDING = [
  // Ends on 16 February 2027: https://developers.hubspot.com/changelog/v1-oauth-api-deprecation
  { name: 'hubspot', address: 'https://api.hubapi.com/oauth/v1/' },
];

test.each(ENDING)('$name does not use $address, which will be switched off', ({ name, address }) => {
  expect(JSON.stringify(readProviderDocument(join(FOLDER, `${name}.yaml`)).auth)).not.toContain(address);
});
