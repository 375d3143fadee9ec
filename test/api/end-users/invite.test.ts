import { jest } from '@jest/globals';
import { findConnectTokenByHash } from '../../../store/connect-tokens.ts';
import type { Caller } from '../../support/caller.ts';
import { type Mailbox, openMailbox, readMail } from '../../support/mailbox.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { withWorkspaceKey } from '../checked-caller.ts';
import { anEndUser, END_USERS, type EndUserRecord } from './end-user-bed.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let mailbox: Mailbox;
let bed: ApiBed;
let endUser: EndUserRecord;
beforeAll(async () => {
  mailbox = await openMailbox({ refuses: 'nobody@example.com' });
  bed = await openApiBed({ SMTP_URL: mailbox.url, MAIL_FROM: 'Gateway <gateway@example.com>' });
  endUser = await anEndUser(bed, { email: 'on-record@example.com' });
});
afterAll(async () => {
  await bed?.close();
  await mailbox?.close();
});

const invite = (body: object, id = endUser.id) => bed.api.post(`${END_USERS}/${id}/invite`, body);
const tokensOf = async ({ gateway }: ApiBed, { id }: EndUserRecord) =>
  (await gateway.db('connect_tokens').where({ end_user_id: id })).length;

test('an invitation sends the link to the given address as text and as HTML', async () => {
  const { status, body } = await invite({ email: 'ada@example.com' });
  expect(status).toBe(200);
  expect(body).toEqual({
    emailSent: true,
    token: expect.stringMatching(/^eut_/),
    connectUrl: `${bed.gateway.config.platformUrl}/connect/portal?token=${body.token}`,
    expiresAt: expect.any(String),
  });
  const mail = mailbox.mails.at(-1)!;
  expect(mail.to).toEqual(['ada@example.com']);
  const { subject, text, html } = readMail(mail.raw);
  expect(subject).toBe('Connect your accounts');
  expect(text).toContain(`\n${body.connectUrl}\n`);
  expect(html).toContain(`<a href="${body.connectUrl}">`);
  expect((await bed.api.must(200).get(`${END_USERS}/${endUser.id}`)).endUser).toEqual(endUser);
});

test('an invitation for one integration shows the display name of the integration', async () => {
  expect((await invite({ email: 'ada@example.com', integrationName: 'mail' })).body.emailSent).toBe(true);
  const { subject, text, html } = readMail(mailbox.mails.at(-1)!.raw);
  expect(subject).toBe('Connect your Mail account');
  for (const part of [text, html]) expect(part).toContain('connect your Mail account');
});

test('an invitation shows the names of the organization, the workspace and the instance, escaped in its HTML', async () => {
  const { db } = bed.gateway;
  await db('orgs').where({ id: bed.orgId }).update({ name: 'Acme & Sons' });
  await db('workspaces').where({ id: bed.workspaceId }).update({ name: 'Sales <EU>' });
  const instances = `/api/v1/workspaces/${bed.workspaceId}/integrations`;
  const configured = { integrationName: 'mail', alias: 'support', displayName: 'Support inbox', connectionStrategy: 'per_user' };
  const { integration: instance } = await bed.api.must(201).post(instances, configured);
  expect((await invite({ email: 'ada@example.com', workspaceIntegrationId: instance.id })).body.emailSent).toBe(true);
  const { subject, text, html } = readMail(mailbox.mails.at(-1)!.raw);
  expect(subject).toBe('Connect your Support inbox account');
  expect(text).toContain('Acme & Sons invites you to connect your Support inbox account to its workspace Sales <EU>.');
  expect(html).toContain('Acme &amp; Sons invites you to connect your Support inbox account to its workspace Sales &lt;EU&gt;.');
});

test('an invitation allows reviews only if it has no restriction and the key that sent it may decide', async () => {
  const mayReview = async (api: Caller, fields: object = {}) => {
    const { token } = await api.must(200).post(`${END_USERS}/${endUser.id}/invite`, { email: 'ada@example.com', ...fields });
    return (await findConnectTokenByHash(bed.gateway.db, bed.gateway.tokens.hash(token)))?.mayReview;
  };
  const undecided = await withWorkspaceKey(bed, [bed.workspaceId]);
  expect([await mayReview(bed.api), await mayReview(undecided)]).toEqual([true, false]);
  expect(await mayReview(bed.api, { integrationName: 'mail' })).toBe(false);
});

test('if the mail server refuses the address, emailSent is false, but the answer contains a link', async () => {
  const before = await tokensOf(bed, endUser);
  const { status, body } = await invite({ email: 'nobody@example.com' });
  expect([status, body.emailSent]).toEqual([200, false]);
  expect(body.connectUrl).toContain(body.token);
  expect(await tokensOf(bed, endUser)).toBe(before + 1);
});

test('the log says why the mail was not sent, without address or link', async () => {
  const warn = jest.spyOn(bed.gateway.logger, 'warn');
  const { body } = await invite({ email: 'nobody@example.com' });
  const logged = warn.mock.calls.at(-1)!;
  warn.mockRestore();
  expect(logged).toEqual([
    { endUserId: endUser.id, code: 'EENVELOPE', responseCode: 550, reason: expect.stringContaining('no such mailbox') },
    'invitation not sent',
  ]);
  expect(JSON.stringify(logged)).not.toContain('nobody@example.com');
  expect(JSON.stringify(logged)).not.toContain(body.token);
});

test.each([
  {},
  undefined,
  { email: 'no address' },
  { email: 'a@example.com, b@example.com' },
  { email: 'a@example.com\r\nBcc: b@example.com' },
  { email: '"b@example.com" <a@example.com>' },
  { email: null },
  { email: `${'x'.repeat(243)}@example.com` },
  { email: 'a@example.com', expiresIn: 1 },
  { email: 'a@example.com', unknown: 1 },
])('the body %j answers VALIDATION_ERROR and sends no mail', async (body) => {
  const before = mailbox.mails.length;
  expect(await invite(body as object)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(mailbox.mails).toHaveLength(before);
});

test('if the mail server is unreachable, the log contains neither link nor address', async () => {
  const gone = await openMailbox();
  await gone.close();
  const away = await openApiBed({ SMTP_URL: gone.url, MAIL_FROM: 'gateway@example.com', LOG_LEVEL: 'warn' });
  const logged: string[] = [];
  const warn = away.gateway.logger.warn;
  away.gateway.logger.warn = (...parts: unknown[]) => logged.push(JSON.stringify(parts));
  try {
    const user = await anEndUser(away);
    const { body } = await away.api.post(`${END_USERS}/${user.id}/invite`, { email: 'ada@example.com' });
    expect(body).toMatchObject({ emailSent: false, token: expect.stringMatching(/^eut_/) });
    expect(logged).toEqual([expect.stringContaining('invitation not sent')]);
    expect(logged[0]).toContain(user.id);
    for (const secret of [body.token, body.connectUrl, 'ada@example.com']) expect(logged[0]).not.toContain(secret);
  } finally {
    away.gateway.logger.warn = warn;
    await away.close();
  }
});

describe('without a configured mail server', () => {
  let plain: ApiBed;
  beforeAll(async () => {
    plain = await openApiBed();
  });
  afterAll(() => plain?.close());

  test('a valid invitation answers EMAIL_NOT_CONFIGURED and creates no token', async () => {
    const user = await anEndUser(plain);
    const answer = await plain.api.post(`${END_USERS}/${user.id}/invite`, { email: 'ada@example.com' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'EMAIL_NOT_CONFIGURED' } });
    expect(await tokensOf(plain, user)).toBe(0);
  });

  test('other errors take precedence over EMAIL_NOT_CONFIGURED', async () => {
    const { id } = await anEndUser(plain);
    const codeOf = async (path: string, body: object) => (await plain.api.post(`${END_USERS}/${path}/invite`, body)).body.code;
    const email = 'ada@example.com';
    expect(await codeOf(UNKNOWN, {})).toBe('VALIDATION_ERROR');
    expect(await codeOf(UNKNOWN, { email })).toBe('NOT_FOUND');
    expect(await codeOf(id, { email, integrationName: 'no-such' })).toBe('INTEGRATION_NOT_FOUND');
    expect(await codeOf(id, { email, workspaceIntegrationId: UNKNOWN })).toBe('NOT_FOUND');
  });
});
