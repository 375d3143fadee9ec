import { afterEach, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../../infra/outbound.ts';
import type { ImportInput } from '../../../integrations/custom/importer.ts';
import { importMcp } from '../../../integrations/custom/mcp/import-mcp.ts';
import { aFakeMcpServer, type FakeMcpServer, type Manner } from '../../support/mcp/fake-mcp-server.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function aServer(manner: Manner, tools: Record<string, unknown>[]): Promise<FakeMcpServer> {
  const server = await aFakeMcpServer(manner, tools);
  open.push(server);
  return server;
}

function importIt(input: Partial<ImportInput> & { url: string }, names: [string, string][] = []) {
  const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
  open.push(outbound);
  return importMcp(
    { name: 'remote', ...input },
    { outbound, withSlot: (_, work) => work(), signal: new AbortController().signal, names: new Map(names) },
  );
}

const tool = (name: string, more: object = {}) => ({
  ...{ name, description: `Does ${name}` },
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  ...more,
});

describe.each(['sessions', 'stateless', 'modern'] as const)('a server of the kind %s', (manner) => {
  test('is imported with the unchanged schemas of its tools', async () => {
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    const server = await aServer(manner, [
      tool('addNumbers', { title: 'Add numbers', outputSchema, annotations: { readOnlyHint: true } }),
      tool('send-it', { annotations: { destructiveHint: false } }),
      tool('wipe', { annotations: { readOnlyHint: false } }),
      tool('plain'),
    ]);
    const { integration, report, source } = await importIt({ url: server.url });
    expect(integration.head).toMatchObject({ displayName: 'Fake server', auth: null, baseUrl: server.url });
    expect(integration.actions.map(({ name, category, categoryFrom, source: from }) => [name, category, categoryFrom, from])).toEqual([
      ['add_numbers', 'read', 'annotations', { tool: 'addNumbers' }],
      ['send_it', 'write', 'annotations', { tool: 'send-it' }],
      ['wipe', 'delete', 'annotations', { tool: 'wipe' }],
      ['plain', 'write', 'default', { tool: 'plain' }],
    ]);
    expect(JSON.parse(integration.actions[0]!.text)).toMatchObject({
      ...{ displayName: 'Add numbers', description: 'Does addNumbers', output: outputSchema, tool: { name: 'addNumbers' } },
      input: tool('x').inputSchema,
    });
    expect(report).toMatchObject({ operations: 4, imported: 4, typed: 4, leftOut: [], leftOutCount: 0 });
    expect(source).toMatchObject({ format: manner === 'modern' ? 'mcp-2026-07-28' : 'mcp-2025-06-18', documentVersion: '3.2.1' });
    expect(source.documentHash).toMatch(/^[0-9a-f]{64}$/);
    if (manner === 'sessions') await server.has('DELETE');
  });
});

test('tools whose names differ only in unstorable characters, such as NUL, are one tool', async () => {
  const server = await aServer('stateless', [
    tool('x\u0000', { title: 'T\u0000', inputSchema: { type: 'object', properties: { 'a\u0000': { description: '\u0000' } } } }),
    tool('x\ud800'),
    tool('x\ufffd'),
  ]);
  const { integration, report } = await importIt({ url: server.url });
  expect(report).toMatchObject({ operations: 3, imported: 1, leftOutCount: 2 });
  expect(integration.actions.map(({ source }) => source)).toEqual([{ tool: 'x\ufffd' }]);
  expect(JSON.stringify(integration)).not.toContain('u0000');
});

test('annotations of an untrusted server do not make a tool harmless', async () => {
  const server = await aServer('stateless', [
    tool('read', { annotations: { readOnlyHint: true } }),
    tool('soft', { annotations: { destructiveHint: false } }),
    tool('hard', { annotations: { destructiveHint: true } }),
  ]);
  const { integration } = await importIt({ url: server.url, trustAnnotations: false });
  expect(integration.actions.map(({ category }) => category)).toEqual(['write', 'write', 'delete']);
});

test('all pages are read, a repeated cursor ends the list, and a selection applies', async () => {
  const server = await aServer('stateless', []);
  server.pages = (cursor) => ({ tools: [tool(`tool${cursor ?? 0}`)], nextCursor: cursor === '2' ? '1' : String(Number(cursor ?? 0) + 1) });
  const whole = await importIt({ url: server.url });
  expect(whole.integration.actions.map(({ name }) => name)).toEqual(['tool0', 'tool1', 'tool2']);
  const { integration, report } = await importIt({ url: server.url, select: { tools: ['tool1'] } });
  expect(integration.actions.map(({ name }) => name)).toEqual(['tool1']);
  expect(report.leftOut.map(({ operation, reason }) => [operation, reason])).toEqual([
    ['tool0', 'not_selected'],
    ['tool2', 'not_selected'],
  ]);
});

test('after a refresh, a tool keeps its name, and no other tool gets that name', async () => {
  const server = await aServer('stateless', [tool('get_it'), tool('getIt')]);
  const first = await importIt({ url: server.url });
  expect(first.integration.actions.map(({ name }) => name)).toEqual(['get_it', 'get_it_2']);
  server.tools.shift();
  const names = first.integration.actions.map(({ name, source }): [string, string] => ['tool' in source ? source.tool : '', name]);
  const again = await importIt({ url: server.url }, names);
  expect(again.integration.actions.map(({ name }) => name)).toEqual(['get_it_2']);
  server.tools.push(tool('GET_IT'));
  expect((await importIt({ url: server.url }, names)).integration.actions.map(({ name }) => name)).toEqual(['get_it_2', 'get_it_3']);
});

test('tools with hostile names and schemas are imported safely or left out with a reason', async () => {
  const deep = JSON.parse(`${'{"properties":{"a":'.repeat(300)}{}${'}}'.repeat(300)}`);
  const large = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`p${index}`, { description: 'x'.repeat(60) }])),
  };
  const server = await aServer('stateless', [
    tool('__proto__'),
    tool('日本語'),
    tool('../../etc/passwd'),
    tool('x'.repeat(10_000), { description: '' }),
    tool('2fast'),
    tool('nul\u0000\ud800'),
    tool('same'),
    tool('same'),
    tool('long', { description: 'y'.repeat(100_000) }),
    tool('large', { inputSchema: large }),
    tool('deep', { inputSchema: { ...deep, type: 'object' } }),
    tool('odd', { inputSchema: 'none' }),
    tool('list', { inputSchema: { type: 'array' } }),
    { description: 'no name' },
    null as never,
  ]);
  const { integration, report } = await importIt({ url: server.url });
  expect(report.imported + report.leftOutCount).toBe(report.operations);
  const names = integration.actions.map(({ name }) => name);
  expect(names).toEqual([
    ...['proto', expect.stringMatching(/^tool_[0-9a-f]+$/), 'etc_passwd'],
    ...[expect.stringMatching(/^x{55}_[0-9a-f]{8}$/), 'op_2fast', 'nul', 'same', 'long', 'large'],
  ]);
  expect(names.every((name) => /^[a-z][a-z0-9_]{0,63}$/.test(name))).toBe(true);
  expect(report.leftOut.map(({ operation, reason }) => [operation, reason])).toEqual([
    ...[
      ['same', 'invalid_operation'],
      ['deep', 'too_large'],
      ['odd', 'invalid_operation'],
      ['list', 'invalid_operation'],
    ],
    ...[
      ['', 'invalid_operation'],
      ['', 'invalid_operation'],
    ],
  ]);
  expect(report.notes.map(({ operation, code }) => [operation, code])).toEqual([
    ['long', 'description_cut'],
    ['large', 'schema_cut'],
  ]);
  expect(integration.actions.find(({ name }) => name === 'long')!.description).toHaveLength(10_000);
});

test('more than 2,000 selected tools are refused, and so is an empty list', async () => {
  const server = await aServer(
    'stateless',
    Array.from({ length: 2001 }, (_, index) => tool(`tool${index}`)),
  );
  const details = { tags: [], operations: 2001, maximum: 2000 };
  await expect(importIt({ url: server.url })).rejects.toMatchObject({ code: 'TOO_MANY_ACTIONS', details });
  const { report } = await importIt({ url: server.url, select: { exclude: { tools: ['tool7'] } } });
  expect(report).toMatchObject({ imported: 2000, leftOutCount: 1 });
  server.tools.length = 0;
  await expect(importIt({ url: server.url })).rejects.toMatchObject({ code: 'NOTHING_TO_IMPORT' });
});
