import type { JsonSchema } from '../../integrations/catalog.ts';
import { comment } from './comment-of-schema.ts';
import { sharedTypes, typeName } from './shared-types.ts';
import { type NamedTypes, propertyName, type TypeStyle, typescriptOf } from './typescript-of-schema.ts';

/** An action as code calls it. `inputSchema` lacks the keys that presets fill. */
export interface DeclaredAction {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  /**
   * Maps each input whose choices or fields come from the account to the inputs that it depends on.
   */
  dynamic: ReadonlyMap<string, readonly string[]>;
}

export interface DeclaredIntegration {
  /** Spellings of the alias in code, the usual spelling first. */
  spellings: readonly string[];
  displayName: string;
  actions: readonly { spellings: readonly string[]; action: DeclaredAction }[];
}

/** `signatures`: each action with its description. `full`: also the meaning of each field. */
export type DeclarationDetail = 'signatures' | 'full';

/**
 * TypeScript declarations of `svc` for these integrations (specification 4.2; contract decisions
 * 4). After about `maxLength` characters, a comment counts the other actions and names some.
 */
export function declarations(
  integrations: readonly DeclaredIntegration[],
  detail: DeclarationDetail = 'full',
  maxLength = Number.POSITIVE_INFINITY,
): string {
  const texts = new Map<string, string>();
  const style = { comments: detail === 'full', limits: true, indent: '' };
  let room = maxLength;
  const members = integrations.map(({ spellings, displayName, actions }, index) => {
    const share = room / (integrations.length - index);
    const outputs = actions.map(({ action: { name, outputSchema } }) => ({ name, schema: outputSchema }));
    const shared = sharedTypes(typeName(spellings[0]!), outputs);
    let functions = '';
    const undeclared = actions.filter(({ spellings: [usual, ...others], action }) => {
      if (functions.length >= share) return true;
      const named = { prefix: typeName(`${spellings[0]}_${usual}`), texts, shared };
      const call = propertyName(usual!) + callOf(action, style, named);
      functions += `${comment(action.description)}${call};\n${alsoAs(others, [spellings[0]!, usual!])}`;
      return false;
    });
    room -= functions.length;
    const [usual, ...others] = spellings;
    return `${comment(displayName)}${propertyName(usual!)}: {\n${functions}${onlyNamed(undeclared, MAX_NAMED / integrations.length)}};\n${alsoAs(others, [usual!])}`;
  });
  const types = [...texts].map(([name, text]) => `type ${name} = ${text};\n`);
  return `${types.join('')}declare const svc: {\n${members.join('')}};\n`;
}

/**
 * One call in one line, `svc.http.send_request(input: …): Promise<…>`. In a long signature,
 * optional inputs appear only by name.
 */
export function signatureOf(path: string, action: DeclaredAction): string {
  const whole = path + callOf(action, ONE_LINE);
  if (whole.length <= MAX_SIGNATURE) return whole;
  const properties = Object.entries((action.inputSchema.properties ?? {}) as Record<string, unknown>);
  const required = new Set(Array.isArray(action.inputSchema.required) ? action.inputSchema.required : []);
  const needed = Object.fromEntries(properties.filter(([key]) => required.has(key)));
  const optional = properties.map(([key]) => key).filter((key) => !required.has(key));
  const short = path + callOf({ ...action, inputSchema: { ...action.inputSchema, properties: needed } }, ONE_LINE);
  return optional.length > 0 ? `${short} // also: ${optional.join(', ')}` : short;
}

const MAX_SIGNATURE = 400;
const ONE_LINE: TypeStyle = { comments: false, limits: false, indent: '' };

function callOf({ inputSchema, outputSchema, dynamic }: DeclaredAction, style: TypeStyle, named?: NamedTypes): string {
  const input = inputOf(style.comments ? withDynamic(inputSchema, dynamic) : inputSchema, style, named);
  return `(${input}): Promise<${typescriptOf(outputSchema, { ...style, limits: false }, named)}>`;
}

function inputOf(schema: JsonSchema, style: TypeStyle, named: NamedTypes | undefined): string {
  const type = typescriptOf(schema, style, named);
  if (type === 'Record<string, never>') return '';
  const required = Array.isArray(schema.required) && schema.required.length > 0;
  return `input${required ? '' : '?'}: ${type}`;
}

function withDynamic(schema: JsonSchema, dynamic: DeclaredAction['dynamic']): JsonSchema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([key, property]) => {
    const refreshers = dynamic.get(key);
    if (refreshers === undefined) return [key, property];
    const choices = refreshers.length > 0 ? `choices by ${refreshers.join(', ')}` : 'has choices';
    return [key, { ...property, description: [property.description, choices].filter(Boolean).join('; ') }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Declares the other spellings, for example `svc["my-alias"]` beside `svc.my_alias`. */
function alsoAs(others: readonly string[], path: readonly string[]): string {
  const type = `(typeof svc)${path.map((key) => `[${JSON.stringify(key)}]`).join('')}`;
  return others.map((other) => `${propertyName(other)}: ${type};\n`).join('');
}

const MAX_NAMED = 200;

function onlyNamed(actions: DeclaredIntegration['actions'], most: number): string {
  if (actions.length === 0) return '';
  const names = actions.slice(0, Math.ceil(most)).map(({ spellings }) => propertyName(spellings[0]!));
  const others = actions.length - names.length;
  const rest = others > 0 ? `; svc_search finds the other ${others}` : '';
  return `// ${actions.length} more, declared when they are named in actions: ${names.join(', ')}${rest}\n`;
}
