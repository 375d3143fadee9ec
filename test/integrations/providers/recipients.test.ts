import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { inlineReferences } from '../../../integrations/declarative/inline-references.ts';
import { readProviderDocument } from '../../../integrations/declarative/load-providers.ts';
import { call, FOLDER, NAMES } from './policy-facts.ts';

describe('recipients', () => {
  test.each([
    ['github.create_issue', { owner: 'o', repo: 'r', title: 't', assignees: ['eve'] }, ['eve']],
    ['github.update_issue', { owner: 'o', repo: 'r', issue_number: 1, assignees: ['eve'] }, ['eve']],
    ['trello.create_card', { idList: 'l1', name: 'n', idMembers: ['m1'] }, ['m1']],
    ['trello.update_card', { idCard: 'c1', idMembers: ['m1'] }, ['m1']],
    ['discord.create_thread', { channel_id: '1', name: 'n' }, ['1']],
    ['discord.add_reaction', { channel_id: '1', message_id: '2', emoji: '👍' }, ['1']],
    [
      'bitbucket.create_pull_request',
      { workspace: 'w', repo_slug: 'r', title: 't', source: { branch: { name: 'b' } }, reviewers: [{ uuid: '{1}', account_id: '2' }] },
      ['{1}', '2'],
    ],
    ['google-drive.share_file', { fileId: 'f1', type: 'user', role: 'reader', emailAddress: 'a@example.com' }, ['a@example.com']],
    ['google-drive.share_file', { fileId: 'f1', type: 'anyone', role: 'reader' }, ['anyone']],
    ['netlify.update_site', { site_id: 's', notification_email: 'eve@example.com' }, ['eve@example.com']],
  ])('the recipients of %s are the people or channels that the action assigns, notifies or admits', (place, input, recipients) => {
    expect(call(place, input).recipients).toEqual(recipients);
  });

  test('people in fields and settings that are sent unchanged are recipients', () => {
    const issue = { project: 'WEB', issuetype: 'Task', summary: 's', fields: { assignee: { id: 'a1' }, reporter: { accountId: 'a2' } } };
    expect(call('jira-cloud.create_issue', issue).recipients).toEqual(['a1', 'a2']);
    const settings = {
      alternative_hosts: 'a@example.com;b@example.com',
      meeting_invitees: [{ email: 'c@example.com' }],
      authentication_exception: [{ name: 'D', email: 'd@example.com' }],
    };
    const invited = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'];
    expect(call('zoom.create_meeting', { topic: 't', settings }).recipients).toEqual(invited);
    expect(call('zoom.update_meeting', { meetingId: 1, settings }).recipients).toEqual(invited);
  });

  test('everybody who is paid or billed is a recipient', () => {
    const unit = { amount: { currency_code: 'EUR', value: '1' }, payee: { merchant_id: 'EVE' } };
    expect(call('paypal.create_order', { intent: 'CAPTURE', purchase_units: [unit] }).recipients).toEqual(['eve']);
    const billed = { detail: { currency_code: 'EUR' }, primary_recipients: [{ billing_info: { email_address: 'eve@example.com' } }] };
    expect(call('paypal.create_invoice', billed).recipients).toEqual(['eve@example.com']);
    expect(call('stripe.create_invoice', { customer: 'cus_1', collection_method: 'send_invoice' }).recipients).toEqual(['cus_1']);
    expect(call('stripe.create_subscription', { customer: 'cus_1', items: [{ price: 'p' }] }).recipients).toEqual(['cus_1']);
  });

  test('everybody who joins a mailing list is a recipient', () => {
    const member = { list_address: 'news@example.com', address: 'eve@evil.example' };
    expect(call('mailgun.add_mailing_list_member', member).recipients).toEqual(['eve@evil.example']);
  });

  test('instructions that dial or message further people add recipients to a phone call', () => {
    const phone = { To: '+4930123456', From: '+4930654321' };
    const instructed = (instructions: object) => call('twilio.make_call', { ...phone, ...instructions }).recipients;
    expect(instructed({ Twiml: '<Response><Say>Hello</Say></Response>' })).toEqual(['+4930123456']);
    for (const verb of [
      '<Dial>+190055555</Dial>',
      '< dial><Number>1</Number></dial>',
      '<Sms to="+1900">x</Sms>',
      '<Redirect>https://evil.example</Redirect>',
    ])
      expect(instructed({ Twiml: `<Response>${verb}</Response>` })?.length).toBeGreaterThan(1);
    expect(instructed({ Url: 'https://evil.example/twiml' })).toEqual(['+4930123456', 'https://evil.example/twiml']);
    expect(instructed({ ApplicationSid: `AP${'0'.repeat(32)}` })).toEqual(['+4930123456', `ap${'0'.repeat(32)}`]);
  });

  // The call names only a draft, a ticket or a campaign. The id stands for the people in this
  // record, so the call matches no list of allowed addresses.
  test.each([
    ['microsoft-outlook.send_draft', { message_id: 'm1' }, ['m1']],
    ['paypal.send_invoice', { invoice_id: 'i1' }, ['i1']],
    ['brevo.send_campaign_now', { campaignId: 7 }, ['7']],
    ['brevo.create_campaign', { name: 'n', sender: { email: 'us@example.com' }, recipients: { listIds: [3] } }, ['3']],
    ['zendesk.update_ticket', { ticket_id: 5, comment: { body: 'Hi' } }, ['5']],
    ['zendesk.add_ticket_comment', { ticket_id: 5, body: 'Hi' }, ['5']],
    ['intercom.reply_to_conversation', { conversation_id: 'c1', admin_id: 'a1', body: 'Hi' }, ['c1']],
    ['intercom.close_conversation', { conversation_id: 'c1', admin_id: 'a1', body: 'Bye' }, ['c1']],
    ['pagerduty.create_incident', { title: 't', service_id: 's1' }, ['s1']],
    ['pagerduty.create_incident', { title: 't', service_id: 's1', escalation_policy_id: 'p1' }, ['s1', 'p1']],
    [
      'airtable.add_comment',
      { baseId: 'appLkNDICXNqxSDhG', tableIdOrName: 't', recordId: 'rec560UJdUtocSouk', text: 'Hi' },
      ['rec560ujdutocsouk'],
    ],
    ['wordpress.create_comment', { post: 3, content: 'Hi' }, ['3']],
    ['resend.reschedule_email', { email_id: 'e1', scheduled_at: 'in 1 hour' }, ['e1']],
  ])('the recipients of %s are the ids of the records in its input', (place, input, recipients) => {
    expect(call(place, input).recipients).toEqual(recipients);
  });

  test.each([
    [
      'resend.send_email',
      { from: 'us@example.com', to: 'a@example.com', subject: 's' },
      (name: string) => ({ headers: { [name]: 'eve@example.com' } }),
    ],
    [
      'sendgrid.send_email',
      { from: { email: 'us@example.com' }, to: [{ email: 'a@example.com' }], subject: 's', content: [{ type: 'text/plain', value: 'x' }] },
      (name: string) => ({ headers: { [name]: 'eve@example.com' } }),
    ],
    [
      'brevo.send_email',
      { sender: { email: 'us@example.com' }, to: [{ email: 'a@example.com' }] },
      (name: string) => ({ headers: { [name]: 'eve@example.com' } }),
    ],
    [
      'postmark.send_email',
      { From: 'us@example.com', To: 'a@example.com' },
      (name: string) => ({ Headers: [{ Name: name, Value: 'eve@example.com' }] }),
    ],
  ])('%s accepts no recipient in a header', (place, input, headers) => {
    expect(call(place, { ...input, ...headers('X-Own') }).recipients).toEqual(['a@example.com']);
    for (const name of ['To', 'cc', 'BCC', 'X-A\r\nBcc']) expect(() => call(place, { ...input, ...headers(name) })).toThrow(/header/i);
  });

  /** Actions that send objects unchanged, in the form that the third party documents. */
  const OPEN = [
    'jira-cloud.create_issue',
    'jira-cloud.update_issue',
    'paypal.create_invoice',
    'zoom.create_meeting',
    'zoom.update_meeting',
    'zoom.create_webinar',
  ];

  test('an object with recipients accepts only known keys, except in the actions of OPEN', () => {
    const open = NAMES.flatMap((name) => {
      const document = readProviderDocument(join(FOLDER, `${name}.yaml`));
      return Object.entries(document.actions).flatMap(([action, { input, recipients = [] }]) => {
        const schema = inlineReferences(input ?? {}, document.$defs);
        const isOpen = recipients.some(
          (path) => path.includes('.') && objectAt(schema, path.split('.').slice(0, -1))?.additionalProperties !== false,
        );
        return isOpen ? [`${name}.${action}`] : [];
      });
    });
    expect(open).toEqual(OPEN);
  });
});

type Schema = { properties?: Record<string, Schema>; items?: Schema; additionalProperties?: unknown };

function objectAt(schema: Schema | undefined, path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>((at, key) => (key === '*' ? at?.items : at?.properties?.[key]), schema);
}
