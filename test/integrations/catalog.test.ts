import { describe, expect, test } from '@jest/globals';
import { openCatalog } from '../../integrations/catalog.ts';
import { parseInput } from '../../integrations/parse-input.ts';
import { undescribedInputs } from '../../provider-kit/undescribed-inputs.ts';

const catalog = openCatalog();

test('the catalogue lists the built-in integrations by name, with their actions', () => {
  const builtIns = catalog.list().filter(({ auth }) => auth === null);
  expect(Object.fromEntries(builtIns.map(({ name, actions }) => [name, [...actions.keys()]]))).toEqual({
    'advanced-code': ['run_code'],
    'agent-memory': [
      ...['create_entities', 'add_observations', 'create_relations', 'search', 'read_graph', 'get_entity'],
      ...['delete_entities', 'delete_observations', 'delete_relations'],
    ],
    'agent-scratchpad': ['read_page', 'write_page', 'append_page', 'list_pages', 'search_pages', 'delete_page', 'clear_all'],
    code: ['run_code'],
    'data-transformer': ['transform_json', 'merge_objects', 'filter_array', 'batch_array'],
    datetime: ['parse_date', 'format_date', 'date_math', 'is_business_hours'],
    graphql: ['send_request'],
    'hash-encode': ['hash', 'encode', 'decode', 'generate_uuid'],
    http: ['send_request'],
    'kv-store': ['put', 'get', 'delete', 'add_to_list', 'remove_from_list'],
    'sequential-thinking': ['add_thought', 'branch_thought', 'revise_thought', 'get_chain', 'summarize_chain'],
    storage: ['read_file', 'write_file', 'delete_file', 'list_files', 'get_download_url'],
    'web-reader': ['fetch_as_markdown', 'fetch_as_text', 'extract_links', 'extract_structured_data', 'fetch_multiple'],
  });
});

test('actions have the categories that policies expect, and reads are idempotent', () => {
  const categories = Object.fromEntries(
    catalog.list().flatMap(({ name, actions }) => [...actions.values()].map((action) => [`${name}.${action.name}`, action.category])),
  );
  expect(categories).toMatchObject({
    ...{
      'datetime.parse_date': 'read',
      'kv-store.put': 'write',
      'kv-store.get': 'read',
      'kv-store.delete': 'delete',
      'kv-store.add_to_list': 'write',
    },
    ...{
      'kv-store.remove_from_list': 'delete',
      'storage.read_file': 'read',
      'storage.write_file': 'write',
      'storage.delete_file': 'delete',
      'storage.list_files': 'read',
    },
    ...{
      'agent-memory.create_relations': 'write',
      'agent-memory.add_observations': 'write',
      'agent-memory.search': 'read',
      'agent-memory.delete_observations': 'delete',
      'agent-scratchpad.append_page': 'write',
      'agent-scratchpad.clear_all': 'delete',
      'sequential-thinking.revise_thought': 'write',
      'sequential-thinking.summarize_chain': 'read',
      'web-reader.fetch_multiple': 'read',
    },
  });
  for (const { actions } of catalog.list()) {
    for (const action of actions.values()) if (action.category === 'read') expect(action.idempotent).toBe(true);
  }
  expect(catalog.getAction('kv-store', 'add_to_list').idempotent).toBe(false);
  expect(catalog.getAction('http', 'send_request').idempotent).toBe(false);
});

test('the category of an HTTP call depends on its method', () => {
  const { categoryOf } = catalog.getAction('http', 'send_request');
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'DELETE'];
  expect(methods.map((method) => categoryOf({ method }))).toEqual(['read', 'read', 'write', 'write', 'write', 'write', 'delete']);
});

test('every input schema is strict, every schema is self-contained, and every action is described', () => {
  for (const { actions } of catalog.list()) {
    for (const { inputSchema, outputSchema, description, displayName } of actions.values()) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
      expect([description, displayName].every((text) => text.length > 2)).toBe(true);
    }
  }
});

describe('unknown names', () => {
  test.each(['nope', 'constructor', '__proto__', '', 'HTTP'])('the integration %j is not found', (name) => {
    expect(catalog.find(name)).toBeUndefined();
    expect(() => catalog.get(name)).toThrow(expect.objectContaining({ code: 'INTEGRATION_NOT_FOUND' }));
    expect(() => catalog.getAction(name, 'hash')).toThrow(expect.objectContaining({ code: 'INTEGRATION_NOT_FOUND' }));
  });

  test.each(['nope', 'constructor', 'toString', ''])('the action %j is refused, and the error lists the actions', (name) =>
    expect(() => catalog.getAction('hash-encode', name)).toThrow(
      expect.objectContaining({ code: 'ACTION_NOT_FOUND', message: expect.stringContaining('hash, encode, decode, generate_uuid') }),
    ),
  );
});

describe('inputs', () => {
  const action = catalog.getAction('datetime', 'is_business_hours');

  test('defaults are filled in', () =>
    expect(parseInput(action, {})).toEqual({ ok: true, input: { timezone: 'UTC', startHour: 9, endHour: 17, workDays: [1, 2, 3, 4, 5] } }));

  test.each([[null], [[]], ['text'], [5]])('%j is not an input', (input) =>
    expect(parseInput(action, input)).toEqual({ ok: false, issues: [{ path: '', message: 'expects an object' }] }),
  );

  test.each(['__proto__', 'constructor', 'toString'])('%s is an unknown key like any other', (key) => {
    expect(parseInput(action, JSON.parse(`{"${key}":{}}`))).toEqual({
      ok: false,
      issues: [{ path: key, message: `unknown key "${key}"; the keys are date, timezone, startHour, endHour, workDays` }],
    });
  });

  test('numbers that overflow and lone surrogates are refused with their path', () => {
    const put = catalog.getAction('kv-store', 'put');
    for (const value of [Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(parseInput(put, { key: 'k', value: { list: [1, value] } })).toEqual({
        ok: false,
        issues: [{ path: 'value.list.1', message: 'is a number beyond 1.8e308, which is too large to be read' }],
      });
    }
    const message = 'holds a text with half a surrogate pair, which is no character';
    expect(parseInput(put, { key: 'k', value: { deep: ['\ud800'] } })).toEqual({ ok: false, issues: [{ path: 'value.deep.0', message }] });
    expect(parseInput(put, { key: 'k', value: { '\ud800': 1 } })).toEqual({ ok: false, issues: [{ path: 'value', message }] });
  });

  test('errors for a missing value and for a value with several allowed forms are plain sentences', () => {
    expect(parseInput(catalog.getAction('kv-store', 'put'), { key: 'k' })).toEqual({
      ok: false,
      issues: [{ path: 'value', message: 'missing key "value": expects any JSON value' }],
    });
    expect(
      parseInput(catalog.getAction('http', 'send_request'), { method: 'GET', url: 'https://example.com', queryParams: { a: {} } }),
    ).toEqual({
      ok: false,
      issues: [{ path: 'queryParams.a', message: 'expects a string, or expects a number, or expects true or false, or expects an array' }],
    });
  });

  test('the error for an unknown nested key names its path and the allowed keys', () => {
    const { issues } = parseInput(catalog.getAction('http', 'send_request'), {
      method: 'GET',
      url: 'https://example.com',
      authFields: { user: 'x' },
    }) as { issues: unknown[] };
    expect(issues).toEqual([{ path: 'authFields.user', message: 'unknown key "user"; the keys are username, password, token' }]);
  });

  test('64 levels of nesting are accepted, and more are refused', () => {
    const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    const transform = catalog.getAction('data-transformer', 'batch_array');
    expect(parseInput(transform, { array: nested(63), batchSize: 1 }).ok).toBe(true);
    for (const levels of [64, 5_000]) {
      expect(parseInput(transform, { array: nested(levels), batchSize: 1 })).toEqual({
        ok: false,
        issues: [{ path: '', message: 'is nested deeper than 64 levels' }],
      });
    }
  });
});

test('every input of every action has a description, also inside objects and lists', () => {
  const undescribed = openCatalog()
    .list()
    .flatMap(({ name, actions }) => [...actions.values()].flatMap((one) => undescribedInputs(one.inputSchema, `${name}.${one.name}`)));
  expect(undescribed).toEqual([]);
});
