import { anOauthApp, aSession, type ConnectBed, comeBack, cookiesOf, openConnectBed, outcomeOf, submit } from '../connect/connect-bed.ts';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
  await anOauthApp(bed);
});
afterAll(() => bed?.close());

async function startConsent(fields: object = {}) {
  const session = await aSession(bed, { integrationName: 'cloud', externalId: `cloud-${Math.random()}`, ...fields });
  const sent = await submit(session.connectUrl, { method: 'oauth' });
  return { ...session, sent, consentUrl: sent.headers.get('location')!, cookie: cookiesOf(sent) };
}

test('an answer counts once: a repeated code changes nothing and is not exchanged again', async () => {
  const { token, consentUrl, cookie } = await startConsent();
  const back = await bed.provider.consent(consentUrl);
  await comeBack(back, cookie);
  const outcome = await outcomeOf(bed, token);
  const before = bed.provider.tokenRequests.length;
  expect((await comeBack(back, cookie)).status).toBe(404);
  const { searchParams } = new URL(back);
  const again = await submit(back, { state: searchParams.get('state')!, code: searchParams.get('code')! }, { cookie });
  expect([again.status, (await again.text()).includes('This answer was already used')]).toEqual([400, true]);
  expect(bed.provider.tokenRequests.length).toBe(before);
  expect(await outcomeOf(bed, token)).toEqual(outcome);
});

test('of ten concurrent callbacks, one exchanges the code', async () => {
  const { token, consentUrl, cookie } = await startConsent();
  const back = await bed.provider.consent(consentUrl);
  const { searchParams } = new URL(back);
  const fields = { state: searchParams.get('state')!, code: searchParams.get('code')! };
  const before = bed.provider.tokenRequests.length;
  const answers = await Promise.all(Array.from({ length: 10 }, () => submit(back, fields, { cookie })));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 9 }, () => 400)]);
  expect(bed.provider.tokenRequests.length).toBe(before + 1);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'COMPLETED' });
});

test('an unknown, changed or missing state connects nothing', async () => {
  const { consentUrl, cookie, token } = await startConsent();
  const back = new URL(await bed.provider.consent(consentUrl));
  const state = back.searchParams.get('state')!;
  for (const wrong of [`${state.slice(0, -1)}!`, 'x', '']) {
    back.searchParams.set('state', wrong);
    expect((await fetch(back)).status).toBe(404);
    expect((await submit(back.href, { state: wrong, code: 'c' }, { cookie })).status).toBe(wrong === '' ? 404 : 400);
  }
  back.searchParams.delete('state');
  expect((await fetch(back)).status).toBe(404);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'CONNECTING' });
});

test('the callback needs the cookie of the browser that started the session', async () => {
  const [victim, attacker] = [await startConsent(), await startConsent()];
  const back = await bed.provider.consent(attacker.consentUrl);
  const state = new URL(back).searchParams.get('state')!;
  const [name] = attacker.cookie.split('=');
  const foreign = `${name}=${victim.token}`;
  for (const cookie of ['', victim.cookie, foreign, `${name}=nonsense`]) expect((await comeBack(back, cookie)).status).toBe(400);
  expect(await outcomeOf(bed, attacker.token)).toMatchObject({ status: 'CONNECTING' });
  expect(await outcomeOf(bed, victim.token)).toMatchObject({ status: 'CONNECTING' });
  expect(
    (
      await bed.gateway
        .db('connect_sessions')
        .where({ state_hash: bed.gateway.tokens.hash(state) })
        .first()
    ).status,
  ).toBe('CONNECTING');
});

test('GET and HEAD of the callback have no effect', async () => {
  const { token, consentUrl } = await startConsent();
  const back = await bed.provider.consent(consentUrl);
  const before = bed.provider.tokenRequests.length;
  for (const method of ['GET', 'HEAD', 'GET']) {
    const answer = await fetch(back, { method });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  expect(bed.provider.tokenRequests.length).toBe(before);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'CONNECTING' });
});

test('a new attempt replaces the state, so the older answer is refused', async () => {
  const first = await startConsent();
  const sent = await submit(first.connectUrl, { method: 'oauth' });
  const [older, newer] = [await bed.provider.consent(first.consentUrl), await bed.provider.consent(sent.headers.get('location')!)];
  expect((await comeBack(older, first.cookie)).status).toBe(404);
  expect((await comeBack(newer, cookiesOf(sent))).status).toBe(303);
  expect(await outcomeOf(bed, first.token)).toMatchObject({ status: 'COMPLETED' });
});

test('a callback after the session’s expiry connects nothing', async () => {
  const { token, sessionId, consentUrl, cookie } = await startConsent();
  const back = await bed.provider.consent(consentUrl);
  await bed.gateway
    .db('connect_sessions')
    .where({ id: sessionId })
    .update({ expires_at: bed.gateway.db.raw('now()') });
  expect((await comeBack(back, cookie)).status).toBe(400);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'FAILED', connectionId: null });
});
