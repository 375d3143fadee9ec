import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { providerNames, readProvider } from '../../../integrations/declarative/load-providers.ts';
import { PROVIDER_CODE } from '../../../integrations/providers/code/index.ts';
import { MIN_ACTIONS } from '../../../provider-kit/check-provider.ts';
import { readExamples } from '../../../provider-kit/examples.ts';
import { runExamples } from '../../../provider-kit/run-examples.ts';
import { undescribedInputs } from '../../../provider-kit/undescribed-inputs.ts';

const FOLDER = join(import.meta.dirname, '../../../integrations/providers');
const NAMES = providerNames(FOLDER);

/** Providers without HTTP. The tests in `postgres/` run their actions against a real database. */
const WITHOUT_HTTP = ['postgres'];

describe.each(NAMES)('%s', (name) => {
  const text = readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');

  test('is a valid document, with at least ten actions', () => {
    const { actions } = readProvider(name, text, { folder: FOLDER, code: PROVIDER_CODE[name] });
    expect(Object.keys(actions).length).toBeGreaterThanOrEqual(MIN_ACTIONS);
  });

  test('every input has a description', () => {
    const { actions } = readProvider(name, text, { folder: FOLDER, code: PROVIDER_CODE[name] });
    const undescribed = Object.entries(actions).flatMap(([action, { input }]) => undescribedInputs(input.json, action));
    expect(undescribed).toEqual([]);
  });
});

describe.each(NAMES.filter((name) => !WITHOUT_HTTP.includes(name)))('%s', (name) => {
  const text = readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');

  test('every action sends and returns what its examples say', async () => {
    const file = join(import.meta.dirname, 'examples', `${name}.yaml`);
    expect(existsSync(file)).toBe(true);
    const integration = readProvider(name, text, { folder: FOLDER, code: PROVIDER_CODE[name] });
    expect(await runExamples(integration, readExamples(file)!)).toEqual([]);
  });
});

test('code files belong to existing providers and actions', () => {
  for (const [name, { actions = {} }] of Object.entries(PROVIDER_CODE)) {
    const text = readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
    const known = Object.keys(readProvider(name, text, { folder: FOLDER, code: PROVIDER_CODE[name] }).actions);
    expect(known).toEqual(expect.arrayContaining(Object.keys(actions)));
  }
});
