import { cutText } from '../../../domain/cut-text.ts';
import { isDeeperThan } from '../../../domain/is-deeper-than.ts';
import { isObject } from '../../schema/evaluation.ts';
import type { JsonSchema } from '../../schema/value-schema.ts';
import { storable } from '../document-texts.ts';
import type { ImportNote, ImportReport } from '../import-report.ts';
import type { ImportedAction } from '../imported-integration.ts';
import { kindOfTool } from './tool-category.ts';

/** A tool as a server lists it. No field can be trusted. */
export type ListedTool = Readonly<Record<string, unknown>>;

type LeftOut = ImportReport['leftOut'][number];

/** An action without its final name, or why the tool is left out. */
export type ReadTool = { action: Omit<ImportedAction, 'name'>; notes: Omit<ImportNote, 'operation'>[] } | { leftOut: LeftOut };

const NAME_MAX_LENGTH = 10_240;
const TITLE_MAX_LENGTH = 200;
const DESCRIPTION_MAX_LENGTH = 10_000;
const SCHEMA_MAX_DEPTH = 200;

/** Reads one tool. Replaces characters that cannot be stored. */
export function toolToAction(listed: ListedTool, { trustAnnotations = true }: { trustAnnotations?: boolean | undefined }): ReadTool {
  if (isDeeperThan(SCHEMA_MAX_DEPTH, listed))
    return leftOut(textOf(listed.name) ?? '', 'too_large', `The tool is nested deeper than ${SCHEMA_MAX_DEPTH} levels.`);
  const { name, title, description, inputSchema, outputSchema, annotations } = storable(listed) as ListedTool;
  if (typeof name !== 'string' || name === '') return leftOut('', 'invalid_operation', 'A tool has no name.');
  if (name.length > NAME_MAX_LENGTH) return leftOut(name, 'too_large', `The name is longer than ${NAME_MAX_LENGTH} characters.`);
  if (!isObject(inputSchema) || (inputSchema.type !== undefined && inputSchema.type !== 'object'))
    return leftOut(name, 'invalid_operation', 'The input schema is no schema of an object.');
  const said = isObject(annotations) ? annotations : {};
  const text = typeof description === 'string' ? description : '';
  const isCut = text.length > DESCRIPTION_MAX_LENGTH;
  return {
    action: {
      displayName: cutText(textOf(title) ?? textOf(said.title) ?? name, TITLE_MAX_LENGTH),
      description: cutText(text, DESCRIPTION_MAX_LENGTH),
      ...kindOfTool(annotations, trustAnnotations),
      input: inputSchema,
      output: isObject(outputSchema) ? outputSchema : CONTENT,
      source: { tool: name },
      tool: { name },
    },
    notes: isCut ? [{ code: 'description_cut', message: `The description is longer than ${DESCRIPTION_MAX_LENGTH} characters.` }] : [],
  };
}

/** Whether every input of a tool has a type. */
export function isTyped({ input = {} }: Pick<ImportedAction, 'input'>): boolean {
  return Object.values(isObject(input.properties) ? input.properties : {}).every(
    (schema) => isObject(schema) && TYPES.some((key) => key in schema),
  );
}

const TYPES = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'];

/** Output schema of tools without one: the content parts of an answer. */
const CONTENT: JsonSchema = {
  type: 'object',
  properties: {
    content: {
      type: 'array',
      description: 'Parts of the answer: text, images, audio, resources and links to them',
      items: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'], additionalProperties: true },
    },
  },
  required: ['content'],
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function leftOut(name: string, reason: LeftOut['reason'], message: string): ReadTool {
  return { leftOut: { operation: cutText(name, TITLE_MAX_LENGTH), reason, message } };
}
