import type { JsonSchema } from '../integrations/catalog.ts';
import { comment, propertyName, typescriptOf } from './typescript-of-schema.ts';

/** An action as code can call it. Keys that are preset are not in `inputSchema`. */
export interface DeclaredAction {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
}

export interface DeclaredIntegration {
  alias: string;
  displayName: string;
  actions: readonly DeclaredAction[];
}

/** How much to say: `signatures` is one line an action, `full` adds what each field means. */
export type DeclarationDetail = 'signatures' | 'full';

/** TypeScript declarations of the `svc` that code sees, for these integrations (specification 4.2; decisions section 4). */
export function declarations(integrations: readonly DeclaredIntegration[], detail: DeclarationDetail = 'full'): string {
  const members = integrations.map(({ alias, displayName, actions }) => {
    const functions = actions.map((action) => `${comment(action.description, '    ')}    ${declare(action, detail)};\n`);
    return `${comment(displayName, '  ')}  ${propertyName(codeName(alias))}: {\n${functions.join('')}  };\n`;
  });
  return `declare const svc: {\n${members.join('')}};\n`;
}

/** One call in one line, `svc.http.send_request(input: …): Promise<…>`; optional keys of a long one are only named. */
export function signatureOf(alias: string, action: DeclaredAction): string {
  const path = `svc.${codeName(alias)}.${codeName(action.name)}`;
  const whole = path + callOf(action, 'signatures');
  if (whole.length <= MAX_SIGNATURE) return whole;
  const properties = Object.entries((action.inputSchema.properties ?? {}) as Record<string, unknown>);
  const required = new Set(Array.isArray(action.inputSchema.required) ? action.inputSchema.required : []);
  const needed = Object.fromEntries(properties.filter(([key]) => required.has(key)));
  const optional = properties.map(([key]) => key).filter((key) => !required.has(key));
  const short = path + callOf({ ...action, inputSchema: { ...action.inputSchema, properties: needed } }, 'signatures');
  return optional.length > 0 ? `${short} // also: ${optional.join(', ')}` : short;
}

/** An alias or action name as code writes it. */
export function codeName(name: string): string {
  return name.replaceAll('-', '_');
}

const MAX_SIGNATURE = 400;

function declare(action: DeclaredAction, detail: DeclarationDetail): string {
  return propertyName(codeName(action.name)) + callOf(action, detail);
}

function callOf({ inputSchema, outputSchema }: DeclaredAction, detail: DeclarationDetail): string {
  const style = { comments: detail === 'full', indent: '    ' };
  return `(${inputOf(inputSchema, style)}): Promise<${typescriptOf(outputSchema, style)}>`;
}

function inputOf(schema: JsonSchema, style: { comments: boolean; indent: string }): string {
  const type = typescriptOf(schema, style);
  if (type === 'Record<string, never>') return '';
  const required = Array.isArray(schema.required) && schema.required.length > 0;
  return `input${required ? '' : '?'}: ${type}`;
}
