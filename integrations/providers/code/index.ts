import type { ProviderCode } from '../../declarative/to-integration.ts';
import { amazonS3 } from './amazon-s3.ts';
import { deeplHost } from './deepl-host.ts';
import { dropboxDownload, dropboxUpload } from './dropbox-argument.ts';
import { createDraft, getAttachment, getMessage, getThread, replyToEmail, sendEmail } from './gmail.ts';
import { findRows } from './google-sheets.ts';
import { mailchimpBaseUrl } from './mailchimp-base-url.ts';
import { appendRow } from './microsoft-excel.ts';
import { postgresActions } from './postgres/actions.ts';
import { boxDownload, oneDriveDownload } from './redirected-download.ts';
import { uploadFile } from './slack-upload.ts';
import { supabaseKey } from './supabase.ts';

/**
 * What providers do so differently from others that their documents cannot say it, by name of the
 * provider.
 */
export const PROVIDER_CODE: Readonly<Record<string, ProviderCode>> = {
  'amazon-s3': amazonS3,
  box: { actions: { download_file: boxDownload } },
  deepl: { baseUrl: deeplHost },
  dropbox: { actions: { download_file: dropboxDownload, upload_file: dropboxUpload } },
  mailchimp: { baseUrl: mailchimpBaseUrl },
  gmail: {
    actions: {
      send_email: sendEmail,
      reply_to_email: replyToEmail,
      create_draft: createDraft,
      get_message: getMessage,
      get_thread: getThread,
      get_attachment: getAttachment,
    },
  },
  'google-sheets': { actions: { find_rows: findRows } },
  'microsoft-excel': { actions: { append_row: appendRow } },
  onedrive: { actions: { download_file: oneDriveDownload } },
  postgres: { actions: postgresActions },
  slack: { actions: { upload_file: uploadFile } },
  supabase: { authenticate: supabaseKey },
};
