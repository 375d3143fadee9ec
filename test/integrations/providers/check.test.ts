import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readProvider, readProviderDocument } from '../../../integrations/declarative/load-providers.ts';
import { checkProvider } from '../../../provider-kit/check-provider.ts';
import { readExamples } from '../../../provider-kit/examples.ts';
import { providerPage } from '../../../provider-kit/provider-page.ts';
import { takeFacts } from '../../../provider-kit/take-facts.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'integrations/providers');
const TRELLO = readFileSync(join(FOLDER, 'trello.yaml'), 'utf8');

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'provider-kit-'));
});
afterAll(() => rmSync(scratch, { recursive: true }));

function check(text: string): Promise<{ code: number | string; lines: string[] }> {
  const file = join(scratch, 'trello.yaml');
  writeFileSync(file, text);
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, 'provider-kit/main.ts'), 'check', file], (error, stdout) =>
      resolve({ code: error?.code ?? 0, lines: stdout.trim().split('\n') }),
    );
  });
}

test("check compares a provider with its examples and with the API's own document", async () => {
  const { code, lines } = await check(TRELLO);
  expect(lines).toContain('trello: every example matches, and the provider matches the document of the API');
  expect(code).toBe(0);
});

test('check reports nested inputs without a description, and unknown operations', async () => {
  const changed = TRELLO.replace(
    'actions:\n',
    'actions:\n  archive_board:\n    displayName: Archive board\n    description: Archive a board\n    category: write\n    input: { required: [board], properties: { board: { type: object, description: the board, required: [id], properties: { id: { type: string } } } } }\n    output: { type: object }\n    request: { method: PUT, path: /boards/archive, json: true }\n    recipients: []\n',
  );
  const { code, lines } = await check(changed);
  expect(lines).toEqual(
    expect.arrayContaining([
      'trello: archive_board.board.id: the input has no description',
      'trello: archive_board, example 0: there is no example of this action',
      'trello: archive_board: the document has no such operation',
    ]),
  );
  expect(code).toBe(1);
});

test('check reports a provider with fewer than ten actions or with an outdated page', async () => {
  const document = readProviderDocument(join(FOLDER, 'deepl.yaml'));
  const integration = readProvider('deepl', readFileSync(join(FOLDER, 'deepl.yaml'), 'utf8'), { folder: FOLDER });
  const name = 'deepl';
  const nine = Object.fromEntries(Object.entries(integration.actions).slice(0, 9));
  const few = { ...integration, actions: nine };
  const given = { name, document, examples: { actions: {} }, facts: undefined, accepted: [] };
  const problems = await checkProvider({ ...given, integration: few, page: 'of yesterday' });
  expect(problems).toEqual([
    'there are 9 actions, and at least 10 are expected',
    ...Object.keys(nine).map((action) => `${action}, example 0: there is no example of this action`),
    'the page is outdated: run npm run provider -- docs',
  ]);
  expect(await checkProvider({ ...given, integration: few, page: providerPage(name, document) })).toHaveLength(problems.length - 1);
});

test('check reports an accepted difference that no longer exists', async () => {
  const text = readFileSync(join(FOLDER, 'trello.yaml'), 'utf8');
  const integration = readProvider('trello', text, { folder: FOLDER });
  const examples = readExamples(join(import.meta.dirname, 'examples/trello.yaml'));
  const document = readProviderDocument(join(FOLDER, 'trello.yaml'));
  const problems = await checkProvider({
    ...{ name: 'trello', integration, document, examples, facts: undefined, page: undefined },
    accepted: ['search: the document has no such operation'],
  });
  expect(problems).toEqual([
    'remove this difference from facts-differ.json, it no longer exists: search: the document has no such operation',
  ]);
});

test.each([
  [
    'botocore, where operations with one path differ in parameters',
    'amazon-s3',
    'get_file_tags',
    {
      operations: {
        GetObjectAcl: { http: { method: 'GET', requestUri: '/{Bucket}/{Key+}?acl' }, input: { shape: 'Of' } },
        GetObjectTagging: { http: { method: 'GET', requestUri: '/{Bucket}/{Key+}?tagging' }, input: { shape: 'Of' } },
      },
      shapes: {
        Of: {
          required: ['Key'],
          members: {
            Key: { shape: 'Key', location: 'uri' },
            VersionId: { shape: 'Key', location: 'querystring', locationName: 'versionId' },
          },
        },
        Key: {},
      },
    },
    {
      method: 'GET',
      path: '/{Bucket}/{Key}',
      parameters: [
        { name: 'Key', in: 'path', required: true },
        { name: 'versionId', in: 'query', required: false },
        { name: 'tagging', in: 'query', required: true },
      ],
      body: null,
    },
  ],
  [
    'OpenAPI, with a variable in the path of the server',
    'telegram-bot',
    'get_bot_info',
    { openapi: '3.0.0', servers: [{ url: 'https://api.telegram.org/bot{token}' }], paths: { '/getMe': { get: {} } } },
    { method: 'GET', path: '/bot{token}/getMe', parameters: [], body: null },
  ],
])('facts are taken from %s', (_, name, action, described, expected) => {
  const file = join(scratch, `${name}.json`);
  writeFileSync(file, JSON.stringify(described));
  const provider = readProviderDocument(join(FOLDER, `${name}.yaml`));
  const { operations } = takeFacts(provider, file, { package: 'npm p', version: '1', path: 'd.json' }, '2026-11-23');
  expect(operations[action]).toEqual(expected);
});
