import type { ActionDocument } from '../../declarative/document.ts';
import type { OperationCall, OperationParameter } from '../../declarative/operation.ts';
import type { ImportedAction } from '../imported-integration.ts';
import { categorize } from './category.ts';
import { Inputs } from './inputs.ts';
import type { Operation } from './operations.ts';
import { outputOf } from './output.ts';
import { type FoundParameter, parametersOf } from './parameters.ts';
import type { Reading } from './reading.ts';
import { readBody } from './request-body.ts';
import type { OperationSecurity } from './security.ts';
import { cutText, lineOf } from './texts.ts';

/** `isTyped`: whether the answer and all inputs of the operation have types. */
export interface ReadOperation {
  action: ImportedAction;
  isTyped: boolean;
}

/** What an operation gets from the rest of the document. */
export interface OperationPlace {
  name: string;
  security: OperationSecurity;
  /** Undefined: the base URL of the integration. */
  baseUrl: string | undefined;
}

/** Converts an operation to an action. Throws LeftOutError. */
export function readOperation(reading: Reading, operation: Operation, { name, security, baseUrl }: OperationPlace): ReadOperation {
  const { method, path, operationId, content } = operation;
  const inputs = new Inputs();
  const { parameters, bodies } = parametersOf(reading, operation, security.filled);
  const named = parameters.map((parameter) => addParameter(reading, inputs, parameter));
  const { body, isTyped: hasTypedBody } = readBody(reading, operation, bodies, inputs);
  const output = outputOf(reading, operation);
  const call: OperationCall = {
    method: method as OperationCall['method'],
    path: encodedPath(path),
    parameters: named,
    ...(body && { body }),
    ...(output.accept && { accept: output.accept }),
    ...(security.auth && { auth: security.auth }),
    ...(security.authOptional && { authOptional: true }),
  };
  const action: ImportedAction = {
    ...{ name, ...describe(operation, name), ...categorize(operation) },
    ...{ input: inputs.schema, output: output.schema, operation: call },
    ...(baseUrl !== undefined && { baseUrl }),
    source: { operation: operation.operation, ...(operationId !== undefined && { operationId: cutText(operationId, 500) }) },
  };
  const isTyped = hasTypedBody && output.isTyped && parameters.every((parameter) => parameter.isTyped);
  return { action: content.deprecated === true ? withDeprecation(action) : action, isTyped };
}

function addParameter({ schemas }: Reading, inputs: Inputs, parameter: FoundParameter): OperationParameter {
  const { name, in: place, schema, isTyped: _, required, description, ...how } = parameter;
  const input = inputs.add([name, `${name}_${place}`], { schema: schemas.convert(schema ?? {}, 'request'), required, description });
  return { input, name, in: place, ...how };
}

/** Encodes a path, except the names of parameters. */
function encodedPath(path: string): string {
  const encode = (text: string) => new URL(`https://path.invalid${`/${text}`}`).pathname.slice(1);
  return path.replace(/\{[^{}]*\}|[^{}]+/g, (part) => (part.startsWith('{') ? part : encode(part)));
}

const MAX_DESCRIPTION = 2000;

function describe(
  { content: { summary, description }, operation }: Operation,
  name: string,
): Pick<ActionDocument, 'displayName' | 'description'> {
  const title = lineOf(summary, 100);
  const text = typeof description === 'string' ? description.trim() : '';
  const spoken = name.replaceAll('_', ' ');
  const parts = title !== undefined && !text.startsWith(title) ? [title, text] : [text];
  return {
    displayName: title ?? cutText(spoken[0]!.toUpperCase() + spoken.slice(1), 100),
    description: cutText(parts.filter(Boolean).join('\n\n') || operation, MAX_DESCRIPTION),
  };
}

function withDeprecation(action: ImportedAction): ImportedAction {
  return { ...action, description: cutText(`Deprecated. ${action.description}`, MAX_DESCRIPTION) };
}
