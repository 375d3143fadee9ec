import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { I, type OwnBed, openOwnBed } from './own-bed.ts';

const MB = 1024 * 1024;

let bed: OwnBed;
let workspaceKey: string;
beforeAll(async () => {
  bed = await openOwnBed();
  const permissions = { scope: 'workspace', workspaceIds: [bed.workspaceId] };
  workspaceKey = (await bed.api.must(200).post('/api/v1/api-keys', { name: 'One workspace', permissions })).plainKey;
});
afterAll(() => bed.close());

async function sendBeginning(path: string, key: string, bytes: number) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': 40 * MB };
  const sent = request(`${bed.apiUrl}${path}`, { method: 'POST', headers });
  sent.on('error', () => {});
  sent.write(`{"document":"${'\\"'.repeat(bytes / 2)}`);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = (await json(answer)) as { code: string };
  sent.destroy();
  return { status: answer.statusCode, code: body.code };
}

test.each(['import', 'anything/refresh'])('a large body for %s is not read if the key may not send it', async (path) => {
  expect(await sendBeginning(`${I}/${path}`, workspaceKey, 9 * MB)).toEqual({ status: 403, code: 'SCOPE_DENIED' });
});

test("the shape of a normal body is checked before the key's scope", async () => {
  const headers = { authorization: `Bearer ${workspaceKey}` };
  expect((await bed.api.post(`${I}/import`, { kind: 'nothing' }, headers)).body.code).toBe('VALIDATION_ERROR');
  const whole = { kind: 'declarative', name: 'mine', document: '{}' };
  expect((await bed.api.post(`${I}/import`, whole, headers)).body.code).toBe('SCOPE_DENIED');
});

test.each([5, true, [], null])('the document %j is refused, because it is not text or an object', async (document) => {
  const answered = await bed.api.post(`${I}/import`, { kind: 'openapi', name: 'none', document });
  expect(answered).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('a text of quotes and backslashes is read as a document and is invalid', async () => {
  const document = '\\"'.repeat(5 * MB);
  const answered = await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'quotes', document });
  expect(answered.body.code).toBe('DOCUMENT_INVALID');
});
