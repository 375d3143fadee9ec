import type { ActionDocument, ProviderDocument, RequestDocument } from '../integrations/declarative/document.ts';
import { inlineReferences } from '../integrations/declarative/inline-references.ts';
import type { PagingDocument } from '../integrations/declarative/paging.ts';
import { usedInputs } from '../integrations/declarative/request.ts';
import { type Allowed, excess } from './allowed-values.ts';
import { type Facts, isSamePath, type OperationFacts } from './read-facts.ts';

interface Sent {
  always: boolean;
  /** The input's schema, if the value of the field is exactly one input. */
  input?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the differences between a provider and the API's own document, as lines `action:
 * difference`.
 */
export function factDifferences(document: ProviderDocument, { operations }: Facts): string[] {
  return Object.entries(document.actions).flatMap(([name, action]) => {
    const known = operations[name];
    const found = known ? factProblems(document, action, known) : action.request ? ['the document has no such operation'] : [];
    return found.map((problem) => `${name}: ${problem}`);
  });
}

/** Returns the differences between an action and an operation of the API's own document. */
export function factProblems(document: ProviderDocument, action: ActionDocument, facts: OperationFacts): string[] {
  const { request } = action;
  if (!request) return [];
  const method = request.method ?? 'GET';
  const path = pathOf(document, action);
  const query = sentIn(document, action, request.query);
  const ofAccount = credentialParameters(document);
  const paging = action.paging === true ? document.paging : action.paging;
  const known = facts.parameters.filter((one) => one.in === 'query' && !ofAccount.includes(one.name));
  const cursor = cursorOf(paging, known);
  if (cursor !== undefined) query.set(cursor, { always: false });
  if (paging?.size?.name !== undefined) query.set(paging.size.name, { always: true });
  const body = sentIn(document, action, request.json ?? request.form ?? request.multipart);
  const hasBody = request.json !== undefined || request.form !== undefined || request.multipart !== undefined;
  return [
    ...(method === facts.method && isSamePath(facts.path, path)
      ? []
      : [`the request is ${method} ${path}, and the document has ${facts.method} ${facts.path}`]),
    ...unknown(
      query,
      known.map(({ name }) => name),
      'parameter',
    ),
    ...missing(
      query,
      known.filter(({ required }) => required).map(({ name }) => name),
      'parameter',
    ),
    ...(hasBody && facts.body && !facts.body.isOpen && facts.body.properties.length > 0
      ? unknown(body, facts.body.properties, 'field')
      : []),
    ...(hasBody && facts.body ? missing(body, facts.body.required.filter(isNoAnnotation), 'field') : []),
    ...exceeding(query, Object.fromEntries(known.flatMap(({ name, allowed }) => (allowed ? [[name, allowed]] : []))), 'parameter'),
    ...(hasBody ? exceeding(body, facts.body?.allowed ?? {}, 'field') : []),
    ...(paging?.size?.name === undefined
      ? []
      : excess({ maximum: paging.size.max }, known.find(({ name }) => name === paging.size!.name)?.allowed).map(
          (how) => `the parameter ${paging.size!.name} ${how}`,
        )),
  ];
}

/** Prefers a parameter that the API's own document has. */
function cursorOf(paging: PagingDocument | undefined, known: OperationFacts['parameters']): string | undefined {
  const names = [paging?.cursor ?? []].flat();
  return names.find((name) => known.some((one) => one.name === name)) ?? names[0];
}

/** Whether a field is no OData annotation. Documents require annotations, services do not. */
function isNoAnnotation(name: string): boolean {
  return !name.startsWith('@odata.');
}

function credentialParameters({ auth, authenticate }: ProviderDocument): string[] {
  return [authenticate, ...(auth ?? []).map((method) => method.authenticate)].flatMap((how) => {
    if (typeof how !== 'object') return [];
    return 'query' in how ? [how.query] : 'parameters' in how ? Object.keys(how.parameters ?? {}) : [];
  });
}

/** Returns the path of an action, including the path of the base URL. */
export function pathOf({ baseUrl }: ProviderDocument, { baseUrl: own, request }: ActionDocument): string {
  const base = (own ?? baseUrl).replace(/^(https?:\/\/[^/]*|\{[^{}]*\})/, '').replace(/\/$/, '');
  return base + (request?.path ?? '');
}

function unknown(sent: ReadonlyMap<string, Sent>, known: readonly string[], kind: string): string[] {
  return [...sent.keys()]
    .filter((name) => !known.includes(name.replace(/\[.*$/, '')) && !known.includes(name))
    .map((name) => `the document has no ${kind} ${name}`);
}

function missing(sent: ReadonlyMap<string, Sent>, required: readonly string[], kind: string): string[] {
  return required.filter((name) => !sent.get(name)?.always).map((name) => `the ${kind} ${name} is required, and a call may lack it`);
}

function exceeding(sent: ReadonlyMap<string, Sent>, allowed: Readonly<Record<string, Allowed>>, kind: string): string[] {
  return [...sent].flatMap(([name, { input }]) => (input ? excess(input, allowed[name]).map((how) => `the ${kind} ${name} ${how}`) : []));
}

function sentIn(document: ProviderDocument, action: ActionDocument, template: RequestDocument['json']): Map<string, Sent> {
  const input = inlineReferences(action.input ?? {}, document.$defs);
  const properties = (input.properties ?? {}) as Record<string, { default?: unknown }>;
  const required = (input.required ?? []) as string[];
  const always = (name: string) => required.includes(name) || properties[name]?.default !== undefined;
  const used = usedInputs(action.request!);
  const rest = Object.keys(properties).filter((name) => !used.has(name));
  const sent = new Map<string, Sent>();
  const addRest = () => {
    for (const name of rest) sent.set(name, { always: always(name), input: properties[name]! });
  };
  if (template === true) addRest();
  if (typeof template !== 'object' || template === null) return sent;
  for (const [key, value] of Object.entries(template)) {
    const name = typeof value === 'string' ? /^\{input\.(\w+)\}$/.exec(value)?.[1] : undefined;
    if (key === '...') addRest();
    else
      sent.set(key, {
        always: name === undefined || always(name),
        ...(name !== undefined && properties[name] && { input: properties[name] }),
      });
  }
  return sent;
}
