import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseInput } from '../../../integrations/parse-input.ts';
import { readExamples } from '../../../provider-kit/examples.ts';
import { call, NAMES, read, seen } from './policy-facts.ts';

const examplesOf = (name: string) => readExamples(join(import.meta.dirname, 'examples', `${name}.yaml`))?.actions ?? {};

describe.each(NAMES)('%s', (name) => {
  const { actions } = read(name);
  const examples = Object.entries(examplesOf(name)).flatMap(([action, several]) =>
    several.flatMap(({ input = {} }) => (parseInput(actions[action]!, input).ok ? [{ action, input }] : [])),
  );

  test('every action of the category send has an example with recipients', () => {
    const sending = Object.keys(actions).filter((action) => actions[action]!.category === 'send');
    const reaching = examples.filter(({ action, input }) => seen(actions[action]!, input).recipients?.length !== 0);
    expect(sending.filter((action) => !reaching.some((example) => example.action === action))).toEqual([]);
  });

  test('the content of a file is not read as a path', () => {
    const read = examples.flatMap(({ action, input }) => {
      const contents = contentsIn(input);
      return (seen(actions[action]!, input).paths ?? []).filter((path) => contents.includes(path)).map((path) => `${action}: ${path}`);
    });
    expect(read).toEqual([]);
  });
});

function contentsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return key === 'base64' || key === 'file' ? [value] : [];
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, item]) => contentsIn(item, Array.isArray(value) ? key : name))
    : [];
}

describe('the input of a call can add categories', () => {
  const event = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
  const meeting = { subject: 's', start: '2026-12-01T09:00:00', end: '2026-12-01T10:00:00' };
  const subscriber = { list_id: 'l1', subscriber_hash: 'a@example.com', email_address: 'a@example.com' };
  const collaboration = { item: { type: 'file', id: '1' }, accessible_by: { type: 'user', login: 'a@example.com' }, role: 'viewer' };
  const issue = { organization_id_or_slug: 'acme', issue_id: '1' };
  const droplet = { name: 'web', region: 'fra1', size: 's-1vcpu-1gb', image: 'ubuntu-24-04-x64' };
  const campaign = { name: 'n', sender: { email: 'us@example.com' } };

  test.each([
    ['google-calendar.create_event', { ...event, sendUpdates: 'all' }, ['write', 'send']],
    ['google-calendar.create_event', event, ['write']],
    ['google-calendar.update_event', { eventId: 'e1', sendUpdates: 'externalOnly' }, ['write', 'send']],
    ['google-calendar.delete_event', { eventId: 'e1', sendUpdates: 'all' }, ['delete', 'send']],
    ['google-calendar.delete_event', { eventId: 'e1' }, ['delete']],
    ['google-calendar.quick_add_event', { text: 'Lunch', sendUpdates: 'all' }, ['write', 'send']],
    ['google-calendar.move_event', { eventId: 'e1', destination: 'c2', sendUpdates: 'all' }, ['write', 'send']],
    ['microsoft-outlook.create_event', { ...meeting, optionalAttendees: ['a@example.com'] }, ['write', 'send']],
    ['microsoft-outlook.create_event', { ...meeting, attendees: [] }, ['write']],
    ['microsoft-outlook.update_event', { event_id: 'e1', body: 'New' }, ['write', 'send']],
    ['brevo.create_campaign', { ...campaign, scheduledAt: '2026-12-01T10:00:00+01:00' }, ['write', 'send']],
    ['brevo.create_campaign', campaign, ['write']],
    ['mailchimp.add_or_update_subscriber', { ...subscriber, status_if_new: 'pending' }, ['write', 'send']],
    ['mailchimp.add_or_update_subscriber', { ...subscriber, status_if_new: 'subscribed', status: 'pending' }, ['write', 'send']],
    ['mailchimp.add_or_update_subscriber', { ...subscriber, status_if_new: 'subscribed' }, ['write']],
    ['zoom.create_meeting', { topic: 't', settings: { meeting_invitees: [{ email: 'a@example.com' }] } }, ['write', 'send']],
    ['zoom.create_webinar', { topic: 't', settings: { alternative_hosts: 'a@example.com' } }, ['write', 'send']],
    ['zoom.update_meeting', { meetingId: 1, settings: { waiting_room: true } }, ['write']],
    ['zoom.delete_meeting', { meetingId: 1, cancel_meeting_reminder: true }, ['delete', 'send']],
    ['zoom.delete_meeting', { meetingId: 1 }, ['delete']],
    ['wordpress.create_post', { title: 't', status: 'publish' }, ['write', 'send']],
    ['wordpress.update_page', { id: 3, status: 'future', date: '2026-12-01T09:00:00' }, ['write', 'send']],
    ['wordpress.create_page', { title: 't' }, ['write']],
    ['google-docs.batch_update', { documentId: 'd1', requests: [{ insertText: {} }, { deleteContentRange: {} }] }, ['write', 'delete']],
    ['google-docs.batch_update', { documentId: 'd1', requests: [{ insertText: {} }] }, ['write']],
    ['gmail.modify_labels', { id: 'm1', addLabelIds: ['TRASH'] }, ['write', 'delete']],
    ['gmail.modify_labels', { id: 'm1', addLabelIds: ['STARRED'] }, ['write']],
    ['microsoft-outlook.move_message', { message_id: 'm1', destinationId: 'DeletedItems' }, ['write', 'delete']],
    ['microsoft-outlook.move_message', { message_id: 'm1', destinationId: 'archive' }, ['write']],
    ['gitlab.trigger_pipeline', { id: 1, ref: 'main' }, ['write', 'code']],
    ['supabase.call_function', { function: 'clean_up' }, ['write', 'delete']],
    ['google-drive.share_file', { fileId: 'f1', type: 'user', role: 'reader', emailAddress: 'a@example.com' }, ['admin', 'send']],
    ['google-drive.share_file', { fileId: 'f1', type: 'group', role: 'reader', sendNotificationEmail: false }, ['admin']],
    ['google-drive.share_file', { fileId: 'f1', type: 'anyone', role: 'reader' }, ['admin']],
    ['onedrive.share_file', { item_id: 'i1', recipients: ['a@example.com'], roles: ['read'] }, ['admin', 'send']],
    ['onedrive.share_file', { item_id: 'i1', recipients: ['a@example.com'], roles: ['read'], sendInvitation: false }, ['admin']],
    ['box.create_collaboration', collaboration, ['admin', 'send']],
    ['box.create_collaboration', { ...collaboration, notify: false }, ['admin']],
    ['zendesk.create_user', { name: 'Ada', email: 'a@example.com' }, ['admin', 'send']],
    ['zendesk.create_user', { name: 'Ada', email: 'a@example.com', skip_verify_email: true }, ['admin']],
    ['zendesk.create_user', { name: 'Ada' }, ['admin']],
    ['sentry.update_issue', { ...issue, isPublic: true }, ['write', 'admin']],
    ['sentry.update_issue', { ...issue, status: 'resolved' }, ['write']],
    ['digitalocean.create_droplet', { ...droplet, user_data: '#!/bin/sh' }, ['write', 'code']],
    ['digitalocean.create_droplet', droplet, ['write']],
    ['netlify.create_build', { site_id: 's1' }, ['write', 'code']],
    ['vercel.create_deployment', { name: 'site' }, ['write', 'code']],
  ])('%s', (place, input, categories) => {
    expect(call(place, input).categories).toEqual(categories);
  });
});

describe('paths', () => {
  test.each([
    ['gitlab.get_file', { id: 1, file_path: 'secret/key.pem' }, ['secret/key.pem']],
    ['google-drive.list_files', { folder_id: 'f1' }, ['f1']],
    ['box.search', { query: 'q', ancestor_folder_ids: ['12'] }, ['12']],
    ['jira-cloud.add_attachment', { issueIdOrKey: 'WEB-1', file: { base64: 'aGk=', filename: 'a.txt' } }, ['a.txt']],
    ['whatsapp.upload_media', { phone_number_id: '12345', file: 'aGk=', type: 'text/plain', filename: 'a.txt' }, ['a.txt']],
    ['openai.transcribe_audio', { file: { base64: 'aGk=', filename: 'a.mp3' } }, ['a.mp3']],
    ['groq.translate_audio', { model: 'm', file: { base64: 'aGk=', filename: 'a.mp3' } }, ['a.mp3']],
    ['elevenlabs.speech_to_text', { file: { base64: 'aGk=', filename: 'a.mp3' } }, ['a.mp3']],
  ])('%s', (place, input, paths) => {
    expect(call(place, input).paths).toEqual(paths);
  });
});
