import type { Action, ActionContext, DynamicProp } from '../definition.ts';
import { type Answer, type CallShape, callUpstream, readAs, type Upstream } from '../provider-call.ts';
import { toDynamicProp } from '../provider-choices.ts';
import { fillFromAccount, takenFromAccount } from '../provider-defaults.ts';
import { nextCursor, type Paging, pageQuery, pageSchemas } from '../provider-paging.ts';
import type { RequestShape } from '../provider-request.ts';
import { isObject } from '../schema/evaluation.ts';
import { inputSchema, outputSchema } from '../schema/json-schema.ts';
import type { JsonSchema, ObjectSchema, ValueSchema } from '../schema/value-schema.ts';
import { toChoices } from './choices.ts';
import type { ActionDocument, ChoicesDocument, ProviderDocument, RequestDocument } from './document.ts';
import { inlineReferences } from './inline-references.ts';
import { type PagingDocument, toPaging } from './paging.ts';
import { toRequestShape } from './request.ts';
import { accountNeeded, operationRunner } from './run-operation.ts';
import { render, type Template } from './template.ts';
import { valueAt } from './value-at.ts';

type Input = Readonly<Record<string, unknown>>;

/** The parts of an action that code adds to its document. */
export interface ActionCode {
  /** Computes the values for `{derived.…}` in templates. */
  derive?(input: Input): Record<string, unknown>;
  /** Computes the output, in place of the template. */
  answer?(answer: Answer): unknown;
  categoryOf?: Action['categoryOf'];
  otherCategoriesOf?: Action['otherCategoriesOf'];
  /** Extends the choices of the document. */
  dynamic?: Action['dynamic'];
  recipients?: Action['recipients'];
  paths?: Action['paths'];
  /** Replaces the request. */
  run?(context: ActionContext, send: Send): Promise<unknown>;
}

type Send = (request: RequestDocument, input: Input, shape?: Omit<CallShape, 'request'>) => Promise<Answer>;

/** Builds the action that a document describes. */
export function toAction(upstream: Upstream, document: ProviderDocument, action: ActionDocument, code: ActionCode = {}): Action {
  const { displayName, description, category, idempotent = category === 'read' } = action;
  const paging = pagingOf(action.paging, document.paging);
  const inputOf = (): ObjectSchema => inputSchema(withPage(inlineReferences(action.input ?? {}, document.$defs), paging, 'input'));
  const outputOf = (): ValueSchema => outputSchema(withPage(inlineReferences(action.output, document.$defs), paging, 'output'));
  const dynamic = Object.entries(action.dynamic ?? {}).map(([name, choices]) => [name, toDynamic(upstream, document, choices)]);
  const taken = upstream.accountDefaults ? takenFromAccount(upstream, inputOf().keys) : [];
  let input: ObjectSchema | undefined;
  let output: ValueSchema | undefined;

  const made: Action = {
    ...{ displayName, description, category, idempotent },
    categoryOf: code.categoryOf ?? (() => category),
    ...(code.otherCategoriesOf && { otherCategoriesOf: code.otherCategoriesOf }),
    ...((dynamic.length > 0 || code.dynamic) && { dynamic: { ...Object.fromEntries(dynamic), ...code.dynamic } }),
    ...reachedBy(action, code),
    ...(action.operation && accountNeeded(action.operation)),
    get input() {
      input ??= inputOf();
      return input;
    },
    get output() {
      output ??= outputOf();
      return output;
    },
    run: runner(upstream, action, paging, code, () => made.output),
  };
  if (taken.length > 0) {
    made.completeInput = (given, account) => fillFromAccount({ ...upstream, accountDefaults: taken }, given, account);
  }
  return made;
}

const dynamicProps = new WeakMap<Upstream, Map<ChoicesDocument | string, DynamicProp>>();

/** Returns the same object for the same choices, because callers compare the objects. */
function toDynamic(upstream: Upstream, document: ProviderDocument, choices: ChoicesDocument | string): DynamicProp {
  const known = dynamicProps.get(upstream) ?? new Map<ChoicesDocument | string, DynamicProp>();
  dynamicProps.set(upstream, known);
  const dynamic = known.get(choices) ?? toDynamicProp(upstream, toChoices(choices, document));
  known.set(choices, dynamic);
  return dynamic;
}

function runner(
  upstream: Upstream,
  action: ActionDocument,
  paging: Paging | undefined,
  code: ActionCode,
  outputOf: () => ValueSchema,
): Action['run'] {
  if (action.operation) return operationRunner(upstream, action.operation, action.baseUrl);
  const { format, timeoutSeconds, maxBytes, baseUrl, request, answer } = action;
  const limits = { format, timeoutSeconds, maxBytes, baseUrl };
  const shape = request && toRequestShape(request, code.derive);
  const paged = shape && paging ? asPage(shape, paging) : shape;
  const changes = request?.method !== undefined && request.method !== 'GET';

  return async (context) => {
    const about = { displayName: upstream.displayName, status: 200, mayHaveActed: changes };
    if (code.run) {
      const send: Send = (asked, given, more) =>
        callUpstream(upstream, { ...limits, ...more, request: toRequestShape(asked) }, given, context);
      return readAs(outputOf(), await code.run(context, send), about);
    }
    if (!paged) throw new TypeError(`${action.displayName} has neither a request nor code`);
    const got = await callUpstream(upstream, { ...limits, request: paged }, context.input, context);
    const shaped = code.answer ? code.answer(got) : answered(answer, got);
    const whole = paging ? { ...(shaped as object), nextCursor: nextCursor(paging, got) } : shaped;
    return readAs(outputOf(), whole, { ...about, status: got.status });
  };
}

function answered(template: Template | undefined, { body, headers, input, status }: Answer): unknown {
  const value = body instanceof Uint8Array ? fileOf(body, headers) : body;
  if (template === undefined) return value;
  return render(template, { body: value, headers, input, status }) ?? {};
}

function fileOf(bytes: Uint8Array, headers: Answer['headers']) {
  const contentType = headers['content-type'] ?? 'application/octet-stream';
  return { base64: Buffer.from(bytes).toString('base64'), contentType, sizeBytes: bytes.length };
}

/** A read has only declared recipients. An address that is looked up is not a recipient. */
function reachedBy({ category, recipients, paths }: ActionDocument, code: ActionCode): Pick<Action, 'recipients' | 'paths'> {
  const reached = code.recipients ?? (recipients ? textsOf(recipients) : category === 'read' ? () => [] : undefined);
  const touched = code.paths ?? (paths && textsOf(paths));
  return { ...(reached && { recipients: reached }), ...(touched && { paths: touched }) };
}

function textsOf(names: readonly string[]): (input: Input) => string[] {
  return (input) => names.flatMap((name) => flatTexts(valueAt(input, name.replace(/^input\./, ''))));
}

function flatTexts(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(flatTexts) : [];
}

function pagingOf(paging: PagingDocument | true | undefined, whole: PagingDocument | undefined): Paging | undefined {
  const said = paging === true ? whole : paging;
  return said && toPaging(said);
}

function withPage(schema: JsonSchema, paging: Paging | undefined, side: 'input' | 'output'): JsonSchema {
  if (!paging) return schema;
  const { input, output } = pageSchemas(paging);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    ...schema,
    properties: { ...(isObject(schema.properties) ? schema.properties : {}), ...(side === 'input' ? input : output) },
    ...(side === 'output' && { required: [...required, 'nextCursor'], ...(!schema.properties && { additionalProperties: true }) }),
  };
}

function asPage(request: RequestShape, paging: Paging): RequestShape {
  const { path, query } = request;
  const pathOf = (input: Input) => (input.cursor === undefined ? String(path) : `${path}/{cursor}`);
  return {
    ...request,
    ...(paging.isSegment && { path: pathOf }),
    query: (input, account) => ({ ...query?.(input, account), ...pageQuery(paging, input) }),
  };
}
