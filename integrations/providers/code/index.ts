import type { ProviderCode } from '../../declarative/to-integration.ts';
import { amazonS3 } from './amazon-s3.ts';
import { deeplHost } from './deepl-host.ts';
import { dropboxDownload, dropboxUpload } from './dropbox-argument.ts';
import {
  askedSubscriber,
  boxInvitation,
  databaseFunction,
  deletedItems,
  googleUpdates,
  oneDriveInvitation,
  outlookInvitation,
  outlookUpdate,
  pipeline,
  publication,
  publicIssue,
  removalsInDocument,
  scheduledCampaign,
  startScript,
  trashLabel,
  verifiedUser,
  zoomInvitation,
  zoomReminder,
} from './further-categories.ts';
import { createDraft, getAttachment, getMessage, getThread, replyToEmail, sendEmail } from './gmail.ts';
import { shareFile } from './google-drive.ts';
import { findRows } from './google-sheets.ts';
import { mailchimpBaseUrl } from './mailchimp-base-url.ts';
import { appendRow } from './microsoft-excel.ts';
import { postgresActions } from './postgres/actions.ts';
import { boxDownload, oneDriveDownload } from './redirected-download.ts';
import { uploadFile } from './slack-upload.ts';
import { supabaseKey } from './supabase.ts';
import { makeCall } from './twilio.ts';

/** Code for what the documents of providers cannot express, by name of the provider. */
export const PROVIDER_CODE: Readonly<Record<string, ProviderCode>> = {
  'amazon-s3': amazonS3,
  box: { actions: { download_file: boxDownload, create_collaboration: boxInvitation } },
  brevo: { actions: { create_campaign: scheduledCampaign } },
  deepl: { baseUrl: deeplHost },
  digitalocean: { actions: { create_droplet: startScript } },
  dropbox: { actions: { download_file: dropboxDownload, upload_file: dropboxUpload } },
  mailchimp: { baseUrl: mailchimpBaseUrl, actions: { add_or_update_subscriber: askedSubscriber } },
  gitlab: { actions: { trigger_pipeline: pipeline } },
  gmail: {
    actions: {
      send_email: sendEmail,
      reply_to_email: replyToEmail,
      create_draft: createDraft,
      get_message: getMessage,
      get_thread: getThread,
      get_attachment: getAttachment,
      modify_labels: trashLabel,
    },
  },
  'google-calendar': {
    actions: {
      create_event: googleUpdates,
      update_event: googleUpdates,
      delete_event: googleUpdates,
      quick_add_event: googleUpdates,
      move_event: googleUpdates,
    },
  },
  'google-docs': { actions: { batch_update: removalsInDocument } },
  'google-drive': { actions: { share_file: shareFile } },
  'google-sheets': { actions: { find_rows: findRows } },
  'microsoft-excel': { actions: { append_row: appendRow } },
  'microsoft-outlook': { actions: { create_event: outlookInvitation, update_event: outlookUpdate, move_message: deletedItems } },
  netlify: { actions: { create_build: pipeline } },
  onedrive: { actions: { download_file: oneDriveDownload, share_file: oneDriveInvitation } },
  postgres: { actions: postgresActions },
  sentry: { actions: { update_issue: publicIssue } },
  slack: { actions: { upload_file: uploadFile } },
  supabase: { authenticate: supabaseKey, actions: { call_function: databaseFunction } },
  twilio: { actions: { make_call: makeCall } },
  vercel: { actions: { create_deployment: pipeline } },
  wordpress: {
    actions: { create_post: publication, update_post: publication, create_page: publication, update_page: publication },
  },
  zendesk: { actions: { create_user: verifiedUser } },
  zoom: {
    actions: {
      create_meeting: zoomInvitation,
      update_meeting: zoomInvitation,
      create_webinar: zoomInvitation,
      delete_meeting: zoomReminder,
    },
  },
};
