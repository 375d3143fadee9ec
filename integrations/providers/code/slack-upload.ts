import { fromBase64 } from '../../declarative/file-input.ts';
import type { ActionCode } from '../../declarative/to-action.ts';
import { textAt } from '../../declarative/value-at.ts';
import { ActionError } from '../../definition.ts';

/** Uploads a file in three requests. */
export const uploadFile: ActionCode = {
  async run({ input }, send) {
    const { content, content_encoding, filename, title, ...share } = input as Record<string, string | undefined>;
    const bytes = content_encoding === 'base64' ? fromBase64(content!) : Buffer.from(content!);
    const place = await send({ path: '/files.getUploadURLExternal', query: true }, { filename, length: bytes.length });
    const { id, url } = placeIn(place.body);
    const upload = { method: 'POST', path: url.pathname, query: Object.fromEntries(url.searchParams), bytes: '{input.bytes}' } as const;
    await send(upload, { bytes }, { baseUrl: url.origin, format: 'text' });
    const files = [{ id, title: title ?? filename }];
    const shared = await send({ method: 'POST', path: '/files.completeUploadExternal', json: true }, { files, ...share });
    return shared.body;
  },
};

function placeIn(body: unknown): { id: string; url: URL } {
  const id = textAt(body, 'file_id');
  const url = URL.parse(textAt(body, 'upload_url') ?? '');
  if (id !== undefined && url?.protocol === 'https:' && /(^|\.)slack\.com$/.test(url.hostname)) return { id, url };
  throw new ActionError('Slack named no address to upload the file to.', { reason: 'unexpected_answer' });
}
