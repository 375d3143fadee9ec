import { ANSWER_MAX_BYTES } from '../../../domain/limits.ts';
import type { OutboundResponse } from '../../../domain/outbound.ts';
import { type ErrorDocument, errorReader } from '../../declarative/error-reader.ts';
import type { ActionCode } from '../../declarative/to-action.ts';
import { ActionError, type AuthMethod, type AuthValue } from '../../definition.ts';
import { accountOf, bearer } from '../../provider-auth.ts';
import { saidBy, thirdPartyError } from '../../provider-error.ts';
import { scrubberOf } from '../../provider-secrets.ts';

interface Download {
  displayName: string;
  url(input: Readonly<Record<string, unknown>>): string;
  errors: ErrorDocument;
  /** The hosts that may serve the file. Default: every public host. */
  hosts?: RegExp;
  maxBytes?: number;
  timeoutSeconds?: number;
}

const TIMEOUT_SECONDS = 30;

/** An action that downloads a file through a redirect. The redirect's address gets no token. */
function redirectedDownload(download: Download): ActionCode {
  const { displayName, url: urlOf, maxBytes = ANSWER_MAX_BYTES, timeoutSeconds = TIMEOUT_SECONDS } = download;
  const method: AuthMethod = { key: 'oauth2', type: 'OAUTH2', displayName, description: '' };
  return {
    async run({ input, auth, outbound, signal, now }) {
      const account = accountOf({ displayName, auth: [method] }, auth);
      const { headers } = await bearer({ url: new URL(urlOf(input)), method: 'GET', headers: {} }, account, now(), { outbound });
      const place = await outbound.request({ url: urlOf(input), headers, signal });
      if (place.status !== 302) throw refused(download, place, { account, method, now: now() });
      const file = await outbound.request({ url: addressIn(download, place), maxBytes, timeoutMs: timeoutSeconds * 1000, signal });
      if (file.status !== 200) throw refused(download, file, { account, method, now: now() });
      const contentType = file.headers['content-type'] ?? 'application/octet-stream';
      return { base64: file.body.toString('base64'), contentType, sizeBytes: file.body.length };
    },
  };
}

function addressIn({ displayName, hosts }: Download, { headers }: OutboundResponse): string {
  const url = URL.parse(headers.location ?? '');
  if (url?.protocol === 'https:' && (hosts?.test(url.hostname) ?? true)) return url.href;
  throw new ActionError(`${displayName} named no valid address to download the file from.`, { reason: 'unexpected_answer' });
}

interface Asked {
  account: AuthValue;
  method: AuthMethod;
  now: Date;
}

function refused({ displayName, errors }: Download, response: OutboundResponse, { account, method, now }: Asked): ActionError {
  const scrub = scrubberOf(account, [method]);
  return thirdPartyError({ displayName, response, said: saidBy(response, errorReader(errors), scrub), scrub, now });
}

/** https://developer.box.com/reference/get-files-id-content */
export const boxDownload = redirectedDownload({
  displayName: 'Box',
  url: ({ file_id: id }) => `https://api.box.com/2.0/files/${encodeURIComponent(String(id))}/content`,
  errors: { message: 'message', code: 'code' },
  hosts: /(^|\.)box(cloud)?\.com$/,
});

/** https://learn.microsoft.com/graph/api/driveitem-get-content */
export const oneDriveDownload = redirectedDownload({
  displayName: 'OneDrive',
  url: ({ item_id: id }) => `https://graph.microsoft.com/v1.0/me/drive/items/${encodeURIComponent(String(id))}/content`,
  errors: { message: 'error.message', code: 'error.code' },
  maxBytes: 32 * 1024 * 1024,
  timeoutSeconds: 60,
});
