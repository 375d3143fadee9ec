import { dump } from 'js-yaml';
import { importOpenapi, publicDocument } from './import.ts';

test.each([
  ['github', 1223, 'openapi-3.0'],
  ['stripe', 452, 'openapi-3.0'],
  ['twilio', 197, 'openapi-3.0'],
  ['digitalocean', 290, 'openapi-3.0'],
  ['kubernetes', 1014, 'swagger-2.0'],
])(
  'at least 98 %% of the operations of %s are imported, and 98 %% of these have types, within 10 s of CPU time',
  async (name, operations, format) => {
    const text = publicDocument(name);
    const before = process.cpuUsage();
    const { report, source } = await importOpenapi(text, { baseUrl: 'https://api.example' });
    // Processor time does not depend on other processes of the machine.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(10_000);
    expect(report.operations).toBe(operations);
    expect(report.imported + report.leftOutCount).toBe(operations);
    expect(report.imported / operations).toBeGreaterThanOrEqual(0.98);
    expect(report.typed / report.imported).toBeGreaterThanOrEqual(0.98);
    expect(source).toMatchObject({ format, documentHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  },
);

test('a document has the same result in YAML and in JSON', async () => {
  const text = publicDocument('twilio');
  const [json, yaml] = [await importOpenapi(text), await importOpenapi(dump(JSON.parse(text)))];
  expect(yaml.integration).toEqual(json.integration);
  expect(yaml.report).toEqual(json.report);
});

test('a selection imports a part of a large document', async () => {
  const select = { paths: ['/v1/customers'], methods: ['get'] };
  const { report, integration } = await importOpenapi(publicDocument('stripe'), { select });
  expect(integration.actions.length).toBeGreaterThan(5);
  expect(integration.actions.every(({ source }) => 'operation' in source && source.operation.startsWith('GET /v1/customers'))).toBe(true);
  expect(report).toMatchObject({ operations: 452, imported: integration.actions.length });
});
