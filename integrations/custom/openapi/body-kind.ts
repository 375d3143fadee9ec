import type { OperationBody } from '../../declarative/operation.ts';
import { essenceOf, isJsonType, isTextType } from '../../media-type.ts';

/** A body before its inputs get their names. */
export interface FoundBody {
  kind: OperationBody['kind'];
  contentType: string;
  required: boolean;
  schema: unknown;
  description?: unknown;
  /** Encodings of the fields, also made from Swagger's collection formats. */
  encoding?: unknown;
}

/** A form without files. */
export const FORM = 'application/x-www-form-urlencoded';

/** Undefined if the media type is not supported. */
export function kindOf(contentType: string, schema: Record<string, unknown>): OperationBody['kind'] | undefined {
  const essence = essenceOf(contentType);
  const isText = [schema.type ?? 'string'].flat().includes('string') && schema.properties === undefined;
  if (isJsonType(essence)) return 'json';
  if (essence === FORM) return 'form';
  if (essence === 'multipart/form-data') return 'multipart';
  if (essence.startsWith('multipart/')) return undefined;
  if (essence === '*/*' || essence === 'application/*') return isText && schema.type !== undefined ? 'bytes' : 'json';
  if (/[/+]xml$/.test(essence)) return isText ? 'text' : undefined;
  if (isTextType(essence)) return 'text';
  return /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(essence) ? 'bytes' : undefined;
}
