import { ActionError } from '../definition.ts';
import { isObject } from '../schema/evaluation.ts';

/** A file in an input. */
export interface FileInput {
  base64: string;
  filename?: string;
  contentType?: string;
}

/** Whether an input value is a file. */
export function isFile(value: unknown): value is FileInput {
  return isObject(value) && typeof value.base64 === 'string';
}

/** Decodes base64 or base64url. Throws ActionError for invalid text. */
export function fromBase64(text: string): Buffer {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text.replace(/\s/g, ''))) throw new ActionError('The content of a file must be base64.');
  return Buffer.from(text, 'base64');
}
