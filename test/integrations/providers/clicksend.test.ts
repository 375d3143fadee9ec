import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthValue } from '../../../integrations/definition.ts';
import { type Fake, openFake, options, providerNamed, run } from './provider-bed.ts';

const auth: AuthValue = { type: 'BASIC_AUTH', username: 'ada', password: 'D83DED51-s3cret' };
const clicksend = providerNamed('clicksend');
let fake: Fake;

beforeAll(async () => {
  fake = await openFake('https://rest.clicksend.com');
});
afterAll(() => fake.close());

const call = (name: string, input: object) => run(clicksend, name, input, { auth, outbound: fake.outbound });
const success = (data: unknown) =>
  fake.answers({ body: { http_code: 200, response_code: 'SUCCESS', response_msg: 'Here you are.', data } });
const page = (data: unknown[], current_page = 1, last_page = 1) => ({ total: 2, per_page: 1, current_page, last_page, data });
const sent = (to: string, status = 'SUCCESS') => ({ message_id: `m-${to}`, to, status, message_parts: 1, message_price: '0.0700' });

describe('actions', () => {
  test('send_sms sends to one phone and to several phones', async () => {
    success({ total_price: 0.07, queued_count: 1, messages: [{ ...sent('+61411111111'), carrier: 'Telstra' }] });
    expect(await call('send_sms', { to: '+61411111111', body: 'Hi', from: 'Shop', schedule: 1436874701 })).toEqual({
      messages: [sent('+61411111111')],
    });
    expect(fake.seen).toEqual([
      {
        method: 'POST',
        url: '/v3/sms/send',
        headers: expect.objectContaining({ authorization: `Basic ${Buffer.from('ada:D83DED51-s3cret').toString('base64')}` }),
        body: { messages: [{ source: 'api', to: '+61411111111', body: 'Hi', from: 'Shop', schedule: 1436874701 }] },
      },
    ]);
    success({ messages: [sent('+1555'), sent('+1', 'INVALID_RECIPIENT')] });
    expect(await call('send_sms', { to: ['+1555', '+1556'], body: 'Hi' })).toMatchObject({
      messages: [{ status: 'SUCCESS' }, { status: 'INVALID_RECIPIENT' }],
    });
    expect(fake.seen[0]!.body).toMatchObject({ messages: [{ to: '+1555' }, { to: '+1556' }] });
  });

  test('send_mms', async () => {
    success({ messages: [sent('+1555')] });
    const picture = 'https://example.com/a.jpg';
    await call('send_mms', { to: '+1555', subject: 'Look', body: 'Here', media_file: picture });
    expect(fake.seen).toMatchObject([
      {
        url: '/v3/mms/send',
        body: { media_file: picture, messages: [{ source: 'api', to: '+1555', subject: 'Look', body: 'Here' }] },
      },
    ]);
  });

  test('list_contact_lists', async () => {
    success(page([{ list_id: 428, list_name: 'Customers', _contacts_count: 3 }], 1, 2));
    expect(await call('list_contact_lists', { limit: 1 })).toEqual({
      lists: [{ list_id: 428, list_name: 'Customers', contacts_count: 3 }],
      nextCursor: '2',
    });
    success(page([], 2, 2));
    expect(await call('list_contact_lists', { cursor: '2' })).toEqual({ lists: [], nextCursor: null });
    expect(fake.seen[0]!.url).toBe('/v3/lists?limit=15&page=2');
  });

  test('create_contact_list', async () => {
    success({ list_id: 429, list_name: 'New', _contacts_count: 0 });
    expect(await call('create_contact_list', { list_name: 'New' })).toEqual({ list_id: 429, list_name: 'New' });
    expect(fake.seen).toMatchObject([{ method: 'POST', url: '/v3/lists', body: { list_name: 'New' } }]);
  });

  test('create_contact', async () => {
    success({ contact_id: 7, list_id: 428, phone_number: '+1555', first_name: 'Ada', address_city: '' });
    expect(await call('create_contact', { list_id: 428, phone_number: '+1555', first_name: 'Ada' })).toEqual({
      ...{ contact_id: 7, list_id: 428, phone_number: '+1555', first_name: 'Ada' },
    });
    expect(fake.seen).toMatchObject([{ url: '/v3/lists/428/contacts', body: { phone_number: '+1555', first_name: 'Ada' } }]);
  });

  test('list_contacts', async () => {
    success(page([{ contact_id: 7, phone_number: '+1555' }]));
    expect(await call('list_contacts', { list_id: 428 })).toEqual({
      contacts: [{ contact_id: 7, phone_number: '+1555' }],
      nextCursor: null,
    });
    expect(fake.seen[0]!.url).toBe('/v3/lists/428/contacts?limit=15');
  });

  test('get_account', async () => {
    success({ user_id: 1, username: 'ada', balance: '2.005718', country: 'US', _currency: { currency_name_short: 'USD' } });
    expect(await call('get_account', {})).toEqual({ user_id: 1, username: 'ada', balance: '2.005718', country: 'US', currency: 'USD' });
    expect(fake.seen[0]!.url).toBe('/v3/account');
  });
});

describe('failures', () => {
  test('if no message was sent, the action fails, although the answer has status 200', async () => {
    success({ messages: [sent('+1', 'INVALID_RECIPIENT'), sent('+2', 'INSUFFICIENT_CREDIT')] });
    await expect(call('send_sms', { to: ['+111', '+222'], body: 'Hi' })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'ClickSend refused: no message was sent (INVALID_RECIPIENT, INSUFFICIENT_CREDIT)',
    });
  });

  test('the error for a 401 hides the credentials that the answer contains', async () => {
    const basic = Buffer.from('ada:D83DED51-s3cret').toString('base64');
    const response_msg = `Authorization failed for D83DED51-s3cret (${basic})`;
    fake.answers({ status: 401, body: { http_code: 401, response_code: 'UNAUTHORIZED', response_msg, data: null } });
    const error = await call('get_account', {}).catch((thrown) => thrown);
    expect(error).toMatchObject({ details: { status: 401, code: 'UNAUTHORIZED', reason: 'unauthorized' } });
    expect(error.message).toContain('Authorization failed for [redacted] ([redacted])');
  });
});

test('the contact lists are offered as choices', async () => {
  success(page([{ list_id: 428, list_name: 'Customers' }]));
  expect(await options(clicksend, 'create_contact.list_id', {}, { auth, outbound: fake.outbound })).toEqual([
    { label: 'Customers', value: 428 },
  ]);
});

test('every phone number is a recipient', () => {
  expect(clicksend.actions.send_sms!.recipients!({ to: ['+1', '+2'] })).toEqual(['+1', '+2']);
  expect(clicksend.actions.send_mms!.recipients!({ to: '+1' })).toEqual(['+1']);
});
