import { type CallExplanation, explainCall } from '../../../commands/calls/explain-call.ts';
import type { ExecuteAction } from '../../../commands/calls/request-of-action.ts';
import { GatewayError } from '../../../domain/errors.ts';
import type { KeyPrincipal } from '../../../domain/principal.ts';
import { aModel, type FakeModel, scored } from '../../support/a-model.ts';
import { openTableContents, type TableContents } from '../../support/table-contents.ts';
import { EXECUTE, type MailBed, openMailBed } from './mail-bed.ts';

let model: FakeModel;
let bed: MailBed;
let contents: () => Promise<TableContents>;
let principal: KeyPrincipal;
let workspaceId: string;
beforeAll(async () => {
  model = await aModel();
  model.say(() => scored(0.9));
  bed = await openMailBed(model.env);
  contents = await openTableContents(bed.patient, ['api_keys.last_used_at']);
  const key = await bed.patient('api_keys').first();
  principal = { type: 'api_key', id: key.id, orgId: bed.orgId, name: key.name, workspaceIds: 'all' } as unknown as KeyPrincipal;
});
afterAll(async () => {
  await bed?.close();
  await model?.close();
});
beforeEach(async () => {
  workspaceId = await bed.enter();
});

type Request = Partial<ExecuteAction> & { input?: Record<string, unknown> };

async function explained(request: Request = {}): Promise<CallExplanation> {
  const [before, asked] = [await contents(), model.asked().length];
  const full = { source: 'rest', ...(bed.send(request) as object) } as ExecuteAction;
  const predicted = await explainCall(bed.gateway, { ...principal, policiesVersion: undefined!, seenAt: new Date() }, full);
  expect([await contents(), model.asked().length]).toEqual([before, asked]);
  return predicted;
}

const really = (request: Request = {}) => bed.api.post(EXECUTE, bed.send(request));
const policy = async (fields: object) =>
  (
    await bed.api.must(200).post('/api/v1/approval-policies', {
      ...{ workspaceId, name: 'P', sources: ['rest'], riskMode: 'always', decision: 'require_approval', ...fields },
    })
  ).policy.id as string;

async function executed(request: Request = {}) {
  const { status, body } = await really(request);
  if (status === 202) return { kind: 'held', approvalId: body.approval.id };
  if (status === 200) return { kind: 'ran', account: body.output.account, to: body.output.to, subject: body.output.subject };
  return { kind: 'refused', code: body.code };
}

const decide = (id: string) => bed.api.must(200).post(`/api/v1/approvals/${id}/approve`, {});

function predicted({ outcome, connection, input }: CallExplanation) {
  const { to, subject } = (input?.preview ?? {}) as { to?: string; subject?: string };
  switch (outcome.kind) {
    case 'refused':
      return { kind: 'refused', code: outcome.error.code };
    case 'blocked':
      return { kind: 'refused', code: 'APPROVAL_POLICY_BLOCKED' };
    case 'asks':
      return { kind: 'held', approvalId: expect.any(String) };
    case 'waits':
      return { kind: 'held', approvalId: outcome.approval.id };
    default:
      return { kind: 'ran', account: connection?.externalId, to, subject };
  }
}

describe('the explanation matches what the call does afterwards', () => {
  interface Case {
    arrange(): Promise<Request | undefined>;
    outcome: CallExplanation['outcome']['kind'];
    chosenAs?: string;
  }
  const connected = async (): Promise<undefined> => {
    await bed.connect('shared');
    return undefined;
  };
  const CASES: Record<string, Case> = {
    'no policy': { arrange: connected, outcome: 'runs', chosenAs: 'only_shared' },
    'no account': { arrange: async () => undefined, outcome: 'refused' },
    'several accounts': { arrange: async () => void [await bed.connect('a'), await bed.connect('b')], outcome: 'refused' },
    'the account of an end user': {
      arrange: async () => {
        await bed.connect('hers', { endUserId: 'ada' });
        await bed.configure({ connectionStrategy: 'per_user' });
        return { endUserId: 'ada' };
      },
      ...{ outcome: 'runs', chosenAs: 'own' },
    },
    'an end user without an account': {
      arrange: async () => {
        await bed.configure({ connectionStrategy: 'per_user' });
        return { endUserId: 'nobody' };
      },
      outcome: 'refused',
    },
    'a fixed account, although the end user has an account': {
      arrange: async () => {
        await bed.connect('hers', { endUserId: 'ada' });
        await bed.configure({ connectionStrategy: 'fixed', connectionId: await bed.connect('fixed') });
        return { endUserId: 'ada' };
      },
      ...{ outcome: 'runs', chosenAs: 'configured' },
    },
    'a named account': {
      arrange: async () => {
        await bed.connect('one');
        await bed.connect('two');
        return { connectionExternalId: 'two' };
      },
      ...{ outcome: 'runs', chosenAs: 'named' },
    },
    'an invalid input': { arrange: async () => ({ input: { to: 1 } }), outcome: 'refused' },
    'an unknown action': { arrange: async () => ({ actionName: 'nothing' }), outcome: 'refused' },
    'a disabled action': {
      arrange: async () => void (await bed.configure({ connectionId: await bed.connect('a'), enabledActions: [] })),
      outcome: 'refused',
    },
    'two aliases': {
      arrange: async () => {
        for (const alias of ['one', 'two']) await bed.configure({ alias, connectionId: await bed.connect(alias) });
        return undefined;
      },
      outcome: 'refused',
    },
    'one of two aliases': {
      arrange: async () => {
        for (const alias of ['one', 'two']) await bed.configure({ alias, connectionId: await bed.connect(alias) });
        return { integrationAlias: 'two' };
      },
      ...{ outcome: 'runs', chosenAs: 'configured' },
    },
    'a policy that blocks': { arrange: async () => void [await connected(), await policy({ decision: 'block' })], outcome: 'blocked' },
    'a policy that requires approval': { arrange: async () => void [await connected(), await policy({})], outcome: 'asks' },
    'a call that is already pending': {
      arrange: async () => void [await connected(), await policy({}), await really()],
      outcome: 'waits',
    },
    'an approved call': {
      arrange: async () => void [await connected(), await policy({}), await decide((await really()).body.approval.id)],
      outcome: 'uses_approval',
    },
    'a repeated call within the reuse window': {
      arrange: async () => {
        await connected();
        await policy({ reuseWindowSeconds: 600 });
        await decide((await really()).body.approval.id);
        await really();
        return undefined;
      },
      outcome: 'reuses_approval',
    },
    'a policy that approves automatically': {
      arrange: async () => void [await connected(), await policy({ decision: 'auto_approve' })],
      outcome: 'runs',
    },
    'a policy for another action': {
      arrange: async () => void [await connected(), await policy({ actionNames: ['other'], decision: 'block' })],
      outcome: 'runs',
    },
    'a rule that applies to the preset recipient': {
      arrange: async () => {
        await connected();
        await policy({ riskMode: 'rules', rules: { recipientAllowlist: ['*@example.com'] } });
        const body = { workspaceId, integrationName: 'mail', name: 'boss', values: { to: 'eve@evil.example' } };
        await bed.api.must(201).post('/api/v1/partials', { ...body, isDefault: true, enforcedKeys: ['to'] });
        return { input: { to: 'ann@example.com' } };
      },
      outcome: 'asks',
    },
  };

  test.each(Object.entries(CASES))('%s', async (_, { arrange, outcome, chosenAs }) => {
    const request = await arrange();
    const explanation = await explained(request);
    expect(explanation.outcome.kind).toBe(outcome);
    if (chosenAs) expect(explanation.connection?.chosenAs).toBe(chosenAs);
    expect(await executed(request)).toEqual(predicted(explanation));
  });
});

test('an explanation names the partials of a call, with their effect on each input', async () => {
  await bed.connect('shared');
  const make = bed.api.must(201);
  const base = { workspaceId, integrationName: 'mail', isDefault: true };
  await make.post('/api/v1/partials', { ...base, name: 'team', values: { to: 'team', subject: 'general', channel: 'x' } });
  const own = { ...base, name: 'of the action', actionName: 'send', values: { to: 'secret-boss' }, enforcedKeys: ['to'] };
  await make.post('/api/v1/partials', own);
  const { partials, input } = await explained({ input: { to: 'x' } });
  expect(partials).toEqual([
    {
      name: 'team',
      inputs: [
        { key: 'to', effect: 'overridden' },
        { key: 'subject', effect: 'default' },
      ],
    },
    { name: 'of the action', inputs: [{ key: 'to', effect: 'enforced' }] },
  ]);
  expect(input!.preview).toEqual({ to: '[redacted]', subject: 'general' });
  expect(await executed({ input: { to: 'x' } })).toMatchObject({ kind: 'ran', to: 'secret-boss', subject: 'general' });
});

test('an explanation lists the evaluated policies in their order, and shadow policies separately', async () => {
  await bed.connect('shared');
  await policy({ name: 'First', priority: 1, riskMode: 'rules', rules: { amountThresholds: [{ path: 'amount', gte: 5 }] } });
  await policy({ name: 'Second', priority: 2 });
  await policy({ name: 'Third', priority: 3, decision: 'block' });
  await policy({ name: 'Shadow', priority: 0, decision: 'block', mode: 'shadow' });
  const { policies, shadows } = await explained();
  expect(policies.map(({ policy: { name }, decides, verdict }) => [name, verdict, decides])).toEqual([
    ['First', 'not_matched', false],
    ['Second', 'matched', true],
  ]);
  expect(policies[0]!.reasons).toEqual(['No rule applies.']);
  expect(shadows.map(({ policy: { name }, would }) => [name, would])).toEqual([['Shadow', 'block']]);
});

test('an explanation does not ask the risk model, but uses an existing assessment', async () => {
  await bed.connect('shared');
  await policy({ riskMode: 'model_assisted' });
  expect((await explained()).outcome.kind).toBe('depends_on_model');
  const { approvalId } = (await executed()) as { approvalId: string };
  const { outcome } = await explained();
  expect(outcome).toMatchObject({ kind: 'waits', approval: { id: approvalId } });
});

test('an explanation does not renew expired access', async () => {
  const id = await bed.connect('shared');
  await bed
    .patient('connections')
    .where({ id })
    .update({ expires_at: new Date(0) });
  expect(await explained()).toMatchObject({ connection: { externalId: 'shared' } });
});

test('an error that the request did not cause is thrown, not explained', async () => {
  const setups = { of: () => Promise.reject(new GatewayError('UNAVAILABLE', 'away')) };
  const request = { source: 'rest', ...bed.send() } as ExecuteAction;
  const asking = explainCall({ ...bed.gateway, setups }, { ...principal, policiesVersion: 0, seenAt: new Date() }, request);
  await expect(asking).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
