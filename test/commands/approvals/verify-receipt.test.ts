import { createHash, createHmac } from 'node:crypto';
import { verifyReceipt } from '../../../commands/approvals/verify-receipt.ts';
import { openReceiptKey } from '../../../infra/receipt-keys.ts';
import { aReceiptKey, aSigningKey, claimsOfCall, claimsOfPlan, keySetOf } from '../../support/receipts.ts';

const key = aReceiptKey();
const jwks = keySetOf(key);
const input = { to: 'ada@example.com', amount: 12.5, note: 'ü' };
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const encode = (value: unknown) => bytes(value).toString('base64url');

function forge(header: object, sign: (signed: string) => string, claims: object = claimsOfCall(input)): string {
  const signed = `${encode({ alg: 'EdDSA', typ: 'approval-receipt+jwt', kid: key.publicKey.kid, ...header })}.${encode(claims)}`;
  return `${signed}.${sign(signed)}`;
}

test('anyone can verify a receipt and read its claims', async () => {
  const claims = claimsOfCall(input);
  expect(await verifyReceipt({ jws: await key.sign(claims), jwks })).toEqual({ kid: key.publicKey.kid, claims });
});

test('a receipt with any single character changed is refused', async () => {
  const jws = await key.sign(claimsOfCall(input));
  const accepted: string[] = [];
  for (const [index, character] of [...jws].entries()) {
    const others = index > jws.length - 4 ? [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.='] : ['A', 'B', '.'];
    for (const other of others.filter((one) => one !== character)) {
      const broken = jws.slice(0, index) + other + jws.slice(index + 1);
      await verifyReceipt({ jws: broken, jwks }).then(
        () => accepted.push(broken),
        (error) => expect(error.name).toBe('ReceiptProblem'),
      );
    }
  }
  expect(accepted).toEqual([]);
});

test('a receipt with one character more or less is refused', async () => {
  const jws = await key.sign(claimsOfCall(input));
  for (const broken of [`${jws}A`, `${jws}=`, `${jws}.`, `${jws}\n`, ` ${jws}`, jws.slice(0, -1), jws.slice(1)])
    await expect(verifyReceipt({ jws: broken, jwks })).rejects.toThrow(/JWS|alg|signature/);
});

test.each([
  ['nothing', ''],
  ['a sentence', 'this is no receipt'],
  ['two parts', 'e30.e30'],
  ['a header that is not JSON', 'AAAA.e30.AAAA'],
  ['a header that is a list', `${encode([])}.e30.AAAA`],
])('%s is not a JWS', async (_, jws) => {
  await expect(verifyReceipt({ jws, jwks })).rejects.toThrow(/^This is not a JWS/);
});

describe('a forger cannot choose the algorithm, type or key', () => {
  const { x } = key.publicKey;
  test.each([
    ['alg none', forge({ alg: 'none' }, () => ''), /alg "none"/],
    ['alg None with a signature', forge({ alg: 'None' }, () => 'AAAA'), /alg "None"/],
    [
      'HS256 keyed with the public key',
      forge({ alg: 'HS256' }, (signed) => createHmac('sha256', Buffer.from(x, 'base64url')).update(signed).digest('base64url')),
      /alg "HS256"/,
    ],
    ['no signature', forge({}, () => ''), /signature is wrong/],
    ['64 zeros', forge({}, () => Buffer.alloc(64).toString('base64url')), /signature is wrong/],
    ['a signature of another length', forge({}, () => 'AAAA'), /signature is wrong/],
    ['another type', forge({ typ: 'JWT' }, () => ''), /typ "JWT"\. A receipt has the type/],
    ['no type', forge({ typ: undefined }, () => ''), /typ nothing/],
    ['no key', forge({ kid: undefined }, () => ''), /names no key/],
    ['a key of the forger in the header', forge({ kid: 'mine', jwk: aReceiptKey().publicKey }, () => ''), /no key "mine"/],
  ])('%s', async (_, jws, problem) => {
    await expect(verifyReceipt({ jws, jwks })).rejects.toThrow(problem);
  });

  test('another kind of token is not a receipt, even with a valid signature', async () => {
    for (const claims of [{}, [], 'text', { ...claimsOfCall(input), kind: 'other' }, { ...claimsOfCall(input), approvalId: 7 }])
      await expect(verifyReceipt({ jws: await key.sign(claims as object), jwks })).rejects.toThrow(
        /^The signature is right, but the signed claims/,
      );
  });

  test('claims of one receipt with the signature of another are refused', async () => {
    const [one, other] = await Promise.all([key.sign(claimsOfCall(input)), key.sign(claimsOfCall({}))]);
    const mixed = [...one.split('.').slice(0, 2), other.split('.')[2]].join('.');
    await expect(verifyReceipt({ jws: mixed, jwks })).rejects.toThrow(/signature is wrong/);
  });
});

describe('the key', () => {
  test('of another installation is unknown, in both directions', async () => {
    const theirs = aReceiptKey();
    await expect(verifyReceipt({ jws: await theirs.sign(claimsOfCall(input)), jwks })).rejects.toThrow(/has no key/);
    await expect(verifyReceipt({ jws: await key.sign(claimsOfCall(input)), jwks: keySetOf(theirs) })).rejects.toThrow(/has no key/);
  });

  test('is refused if only its id matches', async () => {
    const theirs = { ...aReceiptKey().publicKey, kid: key.publicKey.kid };
    await expect(verifyReceipt({ jws: await key.sign(claimsOfCall(input)), jwks: { keys: [theirs] } })).rejects.toThrow(
      /signature is wrong/,
    );
  });

  test('is missing in an older key set, and the error says so', async () => {
    await expect(verifyReceipt({ jws: await aReceiptKey().sign(claimsOfCall(input)), jwks })).rejects.toThrow(
      /the set was saved before that key came into use/,
    );
  });

  test('is found for every receipt in a set that was saved after two rotations', async () => {
    const keys = [aSigningKey(), aSigningKey(), aSigningKey()].map(openReceiptKey);
    const saved = JSON.parse(JSON.stringify(keySetOf(...keys)));
    for (const one of keys) {
      const { kid } = await verifyReceipt({ jws: await one.sign(claimsOfCall(input)), jwks: saved });
      expect(kid).toBe(one.publicKey.kid);
    }
  });

  test.each([
    ['invalid JSON', undefined],
    ['a list', []],
    ['an object without keys', {}],
    ['a list of strings', { keys: ['x'] }],
  ])('an invalid key set is refused: %s', async (_, wrong) => {
    await expect(verifyReceipt({ jws: await key.sign(claimsOfCall(input)), jwks: wrong })).rejects.toThrow(/^This is not a key set/);
  });

  test.each([
    ['RSA', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
    ['on another curve', { ...key.publicKey, crv: 'X25519' }],
    ['truncated', { ...key.publicKey, x: 'AAAA' }],
    ['symmetric', { kty: 'oct', k: 'AAAA' }],
    ['without any parameters', {}],
  ])('a key is refused if it is %s', async (_, wrong) => {
    const keys = [{ ...wrong, kid: key.publicKey.kid }];
    await expect(verifyReceipt({ jws: await key.sign(claimsOfCall(input)), jwks: { keys } })).rejects.toThrow(/not an Ed25519 key/);
  });
});

describe('the approved input', () => {
  test('matches with its fields in any order', async () => {
    const jws = await key.sign(claimsOfCall(input));
    for (const same of [input, { note: 'ü', to: input.to, amount: 12.5 }]) await verifyReceipt({ jws, jwks, input: bytes(same) });
    await verifyReceipt({ jws, jwks, input: Buffer.from('{"note":"\\u00fc", "amount":1.25e1,\n"to":"ada@example.com"}') });
  });

  test.each([
    ['one different character', { ...input, to: 'bda@example.com' }],
    ['a field more', { ...input, cc: null }],
    ['a field less', { to: input.to, amount: 12.5 }],
    ['another type', { ...input, amount: '12.5' }],
    ['a canonically equivalent string', { ...input, note: 'u\u0308' }],
    ['empty', {}],
    ['null', null],
  ])('does not match: %s', async (_, other) => {
    const jws = await key.sign(claimsOfCall(input));
    await expect(verifyReceipt({ jws, jwks, input: bytes(other) })).rejects.toThrow(/authentic, but this input is not what was approved/);
  });

  test('matches only with the organization, workspace, source, server, action, account and end user of the claims', async () => {
    const claims = claimsOfCall(input);
    const fields = ['orgId', 'workspaceId', 'source', 'mcpServerId', 'workspaceIntegrationId', 'integrationName', 'integrationAlias'];
    for (const field of [...fields, 'actionName', 'connectionId', 'connectionVersion', 'endUserId']) {
      const jws = await key.sign({ ...claims, [field]: field === 'connectionVersion' ? 3 : 'other' });
      await expect(verifyReceipt({ jws, jwks, input: bytes(input) })).rejects.toThrow(/this input is not what was approved/);
    }
  });

  test('an input that is not JSON is refused with a clear error', async () => {
    const jws = await key.sign(claimsOfCall(input));
    for (const wrong of [Buffer.from('to=ada'), Buffer.from(''), Buffer.from([0x22, 0xff, 0x22])])
      await expect(verifyReceipt({ jws, jwks, input: wrong })).rejects.toThrow(/cannot be read as JSON/);
  });

  test.each([
    ['a repeated key', '{"to":"mallory","to":"ada@example.com","amount":12.5,"note":"ü"}', /"to" is repeated in one object/],
    ['a number that loses precision', '{"to":"ada@example.com","amount":12.50000000000000000001,"note":"ü"}', /would be read as 12.5/],
    ['a number that overflows', '{"to":"ada@example.com","amount":1e400,"note":"ü"}', /1e400 would be read as Infinity/],
    ['a lone surrogate', '{"to":"\\ud800","amount":12.5,"note":"ü"}', /holds half of a character/],
  ])('an input that JSON parsers may read differently is refused: %s', async (_, text, problem) => {
    const jws = await key.sign(claimsOfCall(input));
    const wrong = verifyReceipt({ jws, jwks, input: Buffer.from(text) });
    await expect(wrong).rejects.toMatchObject({ name: 'ReceiptProblem', message: expect.stringMatching(problem) });
  });

  test('the input of a plan is its program; claims that contradict each other are refused', async () => {
    const code = Buffer.from('return await svc.mail.send({ to: "ü" })');
    const codeHash = createHash('sha256').update(code).digest('hex');
    const jws = await key.sign(claimsOfPlan(codeHash));
    expect((await verifyReceipt({ jws, jwks, input: code })).claims.kind).toBe('code_run_plan');
    await expect(verifyReceipt({ jws, jwks, input: Buffer.from(`${code} `) })).rejects.toThrow(/this program is not the one/);
    for (const part of ['codeRunId', 'policyId', 'codeHash', 'toolSurfaceHash']) {
      const mixed = await key.sign({ ...claimsOfPlan(codeHash), [part]: 'other' });
      await expect(verifyReceipt({ jws: mixed, jwks })).rejects.toThrow(/inputHash does not match the plan/);
    }
  });

  test('a receipt must belong to the approval that the verifier names', async () => {
    const claims = claimsOfCall(input);
    const jws = await key.sign(claims);
    await verifyReceipt({ jws, jwks, approvalId: claims.approvalId });
    await expect(verifyReceipt({ jws, jwks, approvalId: 'apr_0000000000000000000000' })).rejects.toThrow(/about another approval/);
  });
});

describe('the record beside the JWS', () => {
  const claims = claimsOfCall(input, { iat: 1_800_000_000, exp: 1_800_000_060 });
  const record = {
    id: claims.jti,
    approvalId: claims.approvalId,
    expiresAt: '2027-01-15T08:01:00.000Z',
    createdAt: claims.decidedAt,
    claims,
  };

  test('can repeat all claims or some of them', async () => {
    const jws = await key.sign(claims);
    for (const same of [record, { id: claims.jti }, { note: 'ours' }, {}])
      expect((await verifyReceipt({ jws, jwks, record: same })).claims).toEqual(claims);
  });

  test.each<[string, object, string]>([
    ['id', { id: 'x' }, `id is "x", the signed value is "${claims.jti}"`],
    ['approvalId', { approvalId: 'apr_0' }, `approvalId is "apr_0", the signed value is "${claims.approvalId}"`],
    [
      'expiresAt',
      { expiresAt: '2037-01-15T08:01:00.000Z' },
      'expiresAt is "2037-01-15T08:01:00.000Z", the signed value is "2027-01-15T08:01:00.000Z"',
    ],
    ['createdAt', { createdAt: null }, 'createdAt is null, the signed value is "2027-01-15T08:00:00.000Z"'],
    [
      'a claim',
      { claims: { ...claims, decidedBy: { type: 'user', id: 'ceo' } } },
      'claims.decidedBy is {"id":"ceo","type":"user"}, the signed value is',
    ],
    ['each claim', { claims: Object.fromEntries(Object.keys(claims).map((name) => [name, 'x'])) }, 'claims.jti is "x"'],
    ['a claim more', { claims: { ...claims, admin: true } }, 'claims.admin was not signed'],
    ['no claims', { claims: 'x' }, 'claims is not an object'],
  ])('any difference is named: %s', async (_, changed, difference) => {
    const wrong = verifyReceipt({ jws: await key.sign(claims), jwks, record: { ...record, ...changed } });
    await expect(wrong).rejects.toThrow('the record beside it was changed');
    await expect(wrong).rejects.toThrow(difference);
  });
});

test('an expired receipt still verifies, and the result shows its expiry', async () => {
  const claims = claimsOfCall(input, { exp: 1_800_000_060 });
  expect((await verifyReceipt({ jws: await key.sign(claims), jwks })).claims.exp).toBe(1_800_000_060);
});
