import { fromBase64 } from '../../declarative/file-input.ts';
import type { ActionCode } from '../../declarative/to-action.ts';

/** Headers must be ASCII, so other characters are escaped. */
function argumentOf({ content, content_encoding, ...argument }: Readonly<Record<string, unknown>>): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(argument).replace(/[\u007f-\uffff]/g, escaped);
}

/** Uploads a file. */
export const dropboxUpload: ActionCode = {
  derive(input) {
    const { content, content_encoding } = input as Record<string, string>;
    return { argument: argumentOf(input), file: content_encoding === 'base64' ? fromBase64(content!) : Buffer.from(content!) };
  },
};

/** Downloads a file. */
export const dropboxDownload: ActionCode = {
  derive: (input) => ({ argument: argumentOf(input) }),
};
