import { GatewayError } from '../../domain/errors.ts';
import { findStoredFile } from '../../store/stored-files.ts';
import { verifyDownload } from './download-token.ts';
import type { StateHost } from './state-host.ts';

export interface DownloadedFile {
  fileName: string;
  /** Declared by the writer and not trusted, so the file must be served as an attachment. */
  contentType: string;
  content: Buffer;
}

/**
 * Reads the file that a download link names. Throws the same NOT_FOUND for an invalid link and a
 * missing file.
 */
export async function readDownload(
  { db, tokens }: Pick<StateHost, 'db' | 'tokens'>,
  token: string,
  now: Date = new Date(),
): Promise<DownloadedFile> {
  const download = verifyDownload(tokens, token, now);
  const file = download && (await findStoredFile(db, download.owner, download.path));
  if (!file) throw new GatewayError('NOT_FOUND', 'There is no such file, or the link is invalid or has expired.');
  return { fileName: file.path.slice(file.path.lastIndexOf('/') + 1), contentType: file.contentType, content: file.content };
}
