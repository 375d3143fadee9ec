import { categorize } from '../../../../integrations/custom/openapi/category.ts';
import { nameOperations, toSnakeCase } from '../../../../integrations/custom/openapi/names.ts';

const operation = (method: string, path: string, operationId?: string) => ({ operation: `${method} ${path}`, method, path, operationId });
const names = (operations: ReturnType<typeof operation>[], known: Record<string, string> = {}) => [
  ...nameOperations(operations, new Map(Object.entries(known))).values(),
];

test.each([
  ['getHTTPStatus2XX', 'get_http_status2_xx'],
  ['listPets', 'list_pets'],
  ['repos/list-for-user', 'repos_list_for_user'],
  ['__Already__snake__', 'already_snake'],
  ['2fa', 'op_2fa'],
  ['APIKeyID', 'api_key_id'],
  ['naïveＡ', 'na_ve'],
  ['../../etc/passwd', 'etc_passwd'],
  ['__proto__', 'proto'],
  ['пример', ''],
])('%s is %j in snake case', (id, expected) => {
  expect(toSnakeCase(id)).toBe(expected);
});

test('without a usable operation id, the name comes from method and path', () => {
  expect(names([operation('GET', '/pets/{petId}'), operation('DELETE', '/'), operation('POST', '/a-b/{x}/c', '!!!')])).toEqual([
    'get_pets_by_pet_id',
    'delete',
    'post_a_b_by_x_c',
  ]);
});

test('a long name is cut at 55 characters and gets a hash of method and path', () => {
  const [one, another] = names([operation('GET', '/a', 'x'.repeat(10_000)), operation('GET', '/b', 'x'.repeat(10_000))]);
  expect(one).toMatch(/^x{55}_[0-9a-f]{8}$/);
  expect(another).toMatch(/^x{55}_[0-9a-f]{8}$/);
  expect(another).not.toBe(one);
  expect(names([operation('GET', '/a', 'y'.repeat(64))])).toEqual(['y'.repeat(64)]);
});

test('operations with equal names get numbers, in the order of the document', () => {
  const same = ['/a', '/b', '/c'].map((path) => operation('GET', path, 'list'));
  expect(names(same)).toEqual(['list', 'list_2', 'list_3']);
  const long = ['/a', '/b'].map((path) => operation('GET', path, 'z'.repeat(64)));
  expect(names(long)[1]).toBe(`${'z'.repeat(62)}_2`);
});

test('after a refresh, an operation keeps its name, and no other operation gets that name', () => {
  const operations = [operation('GET', '/new', 'list'), operation('GET', '/a', 'renamed')];
  expect(names(operations, { 'GET /a': 'list', 'GET /gone': 'list_2' })).toEqual(['list_3', 'list']);
});

describe('categories', () => {
  const category = (method: string, path: string, operationId?: string, tags: string[] = []) =>
    categorize({ method, path, operationId, tags }).category;
  test.each([
    ['read', 'GET', '/users', 'sendNothing'],
    ['read', 'HEAD', '/x', ''],
    ['read', 'OPTIONS', '/x', ''],
    ['delete', 'DELETE', '/users/{id}', ''],
    ['write', 'POST', '/pets', 'createPet'],
    ['write', 'POST', '/monkey', 'tokenize'],
    ['write', 'PUT', '/payload/{userId}', 'putPayload'],
    ['send', 'POST', '/pets', 'sendPet'],
    ['send', 'POST', '/messages/email', ''],
    ['payment', 'POST', '/orders/{id}/refund', ''],
    ['payment', 'POST', '/charges', 'PostCharges'],
    ['admin', 'PUT', '/orgs/{org}/members/{name}', ''],
    ['admin', 'PATCH', '/x', 'inviteUser'],
    ['payment', 'POST', '/x', 'sendInvoice'],
  ])('%s: %s %s %s', (expected, method, path, operationId) => {
    expect(category(method, path, operationId)).toBe(expected);
  });

  test('a tag can also raise the category, and `categoryFrom` names the reason', () => {
    expect(categorize({ method: 'POST', path: '/x', operationId: undefined, tags: ['Email campaigns'] })).toEqual({
      category: 'send',
      categoryFrom: 'tag: email',
    });
  });
});
