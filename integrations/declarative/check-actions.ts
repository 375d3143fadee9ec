import { isSecretName } from '../../domain/redaction/is-secret-name.ts';
import { isObject, type Path } from '../schema/evaluation.ts';
import type { JsonSchema } from '../schema/value-schema.ts';
import { checkTemplate } from './check-template.ts';
import { checkCredentials } from './credentials.ts';
import type { ActionDocument, AuthDocument, AuthenticateDocument, ChoicesDocument, ProviderDocument, RequestDocument } from './document.ts';
import type { DocumentProblem } from './document-problem.ts';
import { inlineReferences } from './inline-references.ts';
import { onlyReads } from './only-reads.ts';

/** Finds unknown names and contradictions in a document whose form is valid. */
export function checkActions(document: ProviderDocument, codeActions: readonly string[]): DocumentProblem[] {
  return [
    ...checkAccount(document, 'secretText'),
    ...checkCredentials(document),
    ...Object.entries(document.choices ?? {}).flatMap(([name, choices]) => checkChoices(choices, ['choices', name], undefined, document)),
    ...Object.entries(document.actions).flatMap(([name, action]) =>
      checkAction(action, ['actions', name], document, codeActions.includes(name)),
    ),
  ];
}

/**
 * Finds the problems of auth methods and addresses. `allowedSecret`: the secret field that an
 * address may contain.
 */
export function checkAccount(
  { auth, authenticate, baseUrl, accountDefaults = [] }: Pick<ProviderDocument, 'auth' | 'authenticate' | 'baseUrl' | 'accountDefaults'>,
  allowedSecret?: 'secretText',
): DocumentProblem[] {
  const methods = auth ?? [];
  const isPublic = (name: string, among: readonly AuthDocument[]) =>
    among.some(({ props }) => isObject(props?.properties) && isObject(props.properties[name]) && props.properties[name].public === true);
  const bases: Address[] = [
    [baseUrl, ['baseUrl'], methods],
    ...methods.flatMap((method, index): Address[] =>
      method.baseUrl === undefined ? [] : [[method.baseUrl, ['auth', index, 'baseUrl'], [method]]],
    ),
    ...tokenUrlOf(authenticate, ['authenticate'], methods),
    ...methods.flatMap((method, index) => endpointsIn(method, ['auth', index, 'oauth2'])),
    ...methods.flatMap((method, index) => tokenUrlOf(method.authenticate, ['auth', index, 'authenticate'], [method])),
  ];
  const keys = methods.map(({ key }) => key);
  return [
    ...bases.flatMap(([base, path, among]) =>
      [...base.matchAll(/\{([^{}]*)\}/g)].flatMap(([, name = '']) => {
        const prop = /^account\.([\w-]+)$/.exec(name)?.[1];
        if (prop === undefined) return [{ path, message: `{${name}}: only {account.…} can stand in an address` }];
        const isAllowed = prop === allowedSecret && among.some(({ type }) => type === 'SECRET_TEXT');
        return isAllowed || isPublic(prop, among) || comesWithToken(prop, among)
          ? []
          : [{ path, message: `account.${prop} is not a prop with "public: true", so an address cannot contain it` }];
      }),
    ),
    ...keys.flatMap((key, index) =>
      keys.indexOf(key) < index ? [{ path: ['auth', index, 'key'], message: `"${key}" is the key of another method` }] : [],
    ),
    ...methods.flatMap(({ type, props, oauth2 }, index) => [
      ...(type === 'CUSTOM_AUTH' && !props ? [{ path: ['auth', index], message: 'missing key "props": CUSTOM_AUTH asks for fields' }] : []),
      ...(props && type !== 'CUSTOM_AUTH' && type !== 'BASIC_AUTH' && !oauth2
        ? [{ path: ['auth', index, 'props'], message: 'only CUSTOM_AUTH, BASIC_AUTH and a method with oauth2 have props' }]
        : []),
      ...secretOauthProps(props, oauth2, ['auth', index, 'props', 'properties']),
      ...(oauth2 && type !== 'OAUTH2' && type !== 'PLATFORM_OAUTH2'
        ? [{ path: ['auth', index, 'oauth2'], message: 'only OAUTH2 asks for consent' }]
        : []),
    ]),
    ...accountDefaults.flatMap((name, index) =>
      isPublic(name, methods) ? [] : [{ path: ['accountDefaults', index], message: `${name} is not a prop with "public: true"` }],
    ),
  ];
}

function comesWithToken(name: string, methods: readonly AuthDocument[]): boolean {
  const isProp = methods.some(({ props }) => isObject(props?.properties) && Object.hasOwn(props.properties, name));
  return !isProp && !isSecretName(name) && methods.some(({ type }) => type === 'OAUTH2' || type === 'PLATFORM_OAUTH2');
}

type Address = [text: string, path: Path, methods: readonly AuthDocument[]];

function endpointsIn(method: AuthDocument, path: Path): Address[] {
  const { authorizationUrl, tokenUrl, refreshUrl } = method.oauth2 ?? {};
  // Before consent, an account has only its props.
  const asked: AuthDocument = { ...method, type: 'CUSTOM_AUTH', props: method.props ?? {} };
  return Object.entries({ authorizationUrl, tokenUrl, refreshUrl }).flatMap(([key, text]): Address[] =>
    text === undefined ? [] : [[text, [...path, key], [asked]]],
  );
}

/** Props of OAuth are stored with the token's data, and pages may show that data. */
function secretOauthProps(props: JsonSchema | undefined, oauth2: object | undefined, path: Path): DocumentProblem[] {
  if (!oauth2 || !isObject(props?.properties)) return [];
  return Object.entries(props.properties).flatMap(([name, schema]) =>
    isObject(schema) && schema.public === true ? [] : [{ path: [...path, name], message: 'a prop of OAuth must have "public: true"' }],
  );
}

function tokenUrlOf(how: AuthenticateDocument | undefined, path: Path, methods: readonly AuthDocument[]): Address[] {
  if (typeof how !== 'object' || !('clientCredentials' in how)) return [];
  return [[how.clientCredentials.tokenUrl, [...path, 'clientCredentials', 'tokenUrl'], methods]];
}

function checkAction(action: ActionDocument, path: Path, document: ProviderDocument, hasCode: boolean): DocumentProblem[] {
  const input = inlineReferences(action.input ?? {}, document.$defs as Record<string, JsonSchema>);
  const inputs = new Set([
    ...Object.keys(isObject(input.properties) ? input.properties : {}),
    ...(action.paging ? ['limit', 'cursor'] : []),
  ]);
  const known = (names: readonly string[] = [], key: string) =>
    names.flatMap((name, index) =>
      inputs.has(name.replace(/^input\./, '').split('.')[0]!) ? [] : [{ path: [...path, key, index], message: unknownInput(name, inputs) }],
    );
  return [
    ...(input.type !== undefined && input.type !== 'object' ? [{ path: [...path, 'input', 'type'], message: 'expects "object"' }] : []),
    ...requiredProblems(action.input, [...path, 'input']),
    ...(action.request || hasCode ? [] : [{ path, message: 'missing key "request": expects an object' }]),
    ...(action.request ? checkRequest(action.request, [...path, 'request'], inputs, hasCode) : []),
    ...(action.answer === undefined
      ? []
      : checkTemplate(action.answer, [...path, 'answer'], { roots: ['body', 'headers', 'input', 'status'], inputs })),
    ...(action.paging === true && !document.paging ? [{ path: [...path, 'paging'], message: 'the document has no paging' }] : []),
    ...known(action.recipients, 'recipients'),
    ...known(action.paths, 'paths'),
    ...Object.entries(action.dynamic ?? {}).flatMap(([name, choices]): DocumentProblem[] => {
      const at = [...path, 'dynamic', name];
      const unknown = inputs.has(name) ? [] : [{ path: at, message: unknownInput(name, inputs), ofKey: true }];
      if (typeof choices !== 'string') return [...unknown, ...checkChoices(choices, at, inputs, document)];
      return Object.hasOwn(document.choices ?? {}, choices)
        ? unknown
        : [...unknown, { path: at, message: `there are no choices named ${choices}` }];
    }),
  ];
}

function requiredProblems(input: JsonSchema | undefined, path: Path): DocumentProblem[] {
  if (!Array.isArray(input?.required) || !isObject(input.properties) || input.$ref !== undefined) return [];
  const { properties } = input;
  return input.required.flatMap((name, index) =>
    Object.hasOwn(properties, name)
      ? []
      : [{ path: [...path, 'required', index], message: `"${name}" is required and not among the properties` }],
  );
}

function checkRequest(request: RequestDocument, path: Path, inputs: ReadonlySet<string> | undefined, hasCode: boolean): DocumentProblem[] {
  const bodies = (['json', 'form', 'multipart', 'bytes'] as const).filter((part) => request[part] !== undefined);
  const roots = ['input', 'account', ...(hasCode ? ['derived'] : [])];
  return [
    ...(leavesItsPlace(request.path) ? [{ path: [...path, 'path'], message: 'a segment of a path cannot be "." or ".."' }] : []),
    ...[...request.path.matchAll(/\{([^{}]*)\}/g)].flatMap(([, inner = '']) => {
      const [, root, name] = /^\+?(?:(input|account)\.)?(\w+)$/.exec(inner) ?? [];
      if (name === undefined) return [{ path: [...path, 'path'], message: `{${inner}} names no input: expects {name} or {+name}` }];
      return root === 'account' || !inputs || inputs.has(name) ? [] : [{ path: [...path, 'path'], message: unknownInput(name, inputs) }];
    }),
    ...(bodies.length > 1
      ? [{ path: [...path, bodies[1]!], message: `a request can have only one body, and it already has ${bodies[0]}`, ofKey: true }]
      : []),
    ...(bodies.length > 0 && (request.method ?? 'GET') === 'GET'
      ? [{ path: [...path, bodies[0]!], message: 'a GET request has no body; set another method', ofKey: true }]
      : []),
    ...(['query', 'headers', 'json', 'form', 'multipart', 'bytes'] as const).flatMap((part) =>
      request[part] === undefined ? [] : checkTemplate(request[part], [...path, part], { roots, inputs }),
    ),
  ];
}

function leavesItsPlace(path: string): boolean {
  return path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part));
}

function checkChoices(
  choices: ChoicesDocument,
  path: Path,
  inputs: ReadonlySet<string> | undefined,
  document: ProviderDocument,
): DocumentProblem[] {
  return [
    ...checkRequest(choices.request, [...path, 'request'], inputs, false),
    ...(onlyReads(choices.request) ? [] : [{ path: [...path, 'request', 'method'], message: ONLY_READS }]),
    ...(choices.refreshers ?? []).flatMap((name, index) =>
      !inputs || inputs.has(name) ? [] : [{ path: [...path, 'refreshers', index], message: unknownInput(name, inputs) }],
    ),
    ...(choices.paging === true && !document.paging ? [{ path: [...path, 'paging'], message: 'the document has no paging' }] : []),
  ];
}

const ONLY_READS = 'a request for choices may only read: expects GET, or POST with the json { query, variables } of a GraphQL query';

function unknownInput(name: string, inputs: ReadonlySet<string>): string {
  const known = [...inputs].slice(0, 50).join(', ');
  return `unknown input "${name.slice(0, 100)}"; ${known ? `the inputs are ${known}` : 'the action has no inputs'}`;
}
