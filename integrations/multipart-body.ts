import { randomBytes } from 'node:crypto';

/** One field of a multipart form. Bytes are sent as a file. */
export interface MultipartField {
  name: string;
  value: string | Uint8Array;
  filename?: string;
  contentType?: string;
}

/**
 * Encodes a form (RFC 7578). No value can end a part, because the boundary is random and names are
 * escaped.
 */
export function multipartBody(fields: readonly MultipartField[]): { contentType: string; body: Uint8Array } {
  const boundary = `form-${randomBytes(18).toString('hex')}`;
  const parts = fields.flatMap((field) => [Buffer.from(`--${boundary}\r\n${headOf(field)}\r\n`), Buffer.from(field.value), LINE_END]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

const LINE_END = Buffer.from('\r\n');

function headOf({ name, value, filename, contentType }: MultipartField): string {
  const isFile = typeof value !== 'string';
  const type = contentType ?? (isFile ? 'application/octet-stream' : undefined);
  const file = isFile ? `; filename="${escapeName(filename ?? 'file')}"` : '';
  return [
    `Content-Disposition: form-data; name="${escapeName(name)}"${file}\r\n`,
    type === undefined ? '' : `Content-Type: ${type.replace(/[^\x20-\x7e]/g, '')}\r\n`,
  ].join('');
}

/** Escapes a name as the HTML standard requires for forms. */
function escapeName(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
