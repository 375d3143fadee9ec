import type { JsonSchema } from '../../schema/value-schema.ts';
import { LeftOutError } from './left-out.ts';
import { cutText } from './texts.ts';

const MAX_INPUTS = 1000;
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** Collects the inputs of one action under unique names. */
export class Inputs {
  readonly #properties = new Map<string, JsonSchema>();
  readonly #required: string[] = [];
  #isOpen = false;

  has(name: string): boolean {
    return this.#properties.has(name);
  }

  /**
   * Adds an input and returns its name: the first free name of `wanted`, or else the last name of
   * `wanted` with a number. Throws LeftOutError for more than MAX_INPUTS inputs.
   */
  add(
    wanted: readonly string[],
    { schema, required, description }: { schema: JsonSchema; required: boolean; description?: unknown },
  ): string {
    if (this.#properties.size >= MAX_INPUTS) throw new LeftOutError('too_large', `The operation has more than ${MAX_INPUTS} inputs.`);
    const name = this.#free(wanted.map(safeName));
    this.#properties.set(name, {
      ...schema,
      ...(typeof description === 'string' && description.trim() !== '' && { description: describe(description, schema) }),
    });
    if (required) this.#required.push(name);
    return name;
  }

  allowOthers(): void {
    this.#isOpen = true;
  }

  #free(names: readonly string[]): string {
    const found = names.find((name) => !this.has(name));
    if (found !== undefined) return found;
    let number = 2;
    while (this.has(`${names.at(-1)}_${number}`)) number += 1;
    return `${names.at(-1)}_${number}`;
  }

  get schema(): JsonSchema {
    return {
      type: 'object',
      properties: Object.fromEntries(this.#properties),
      ...(this.#required.length > 0 && { required: this.#required }),
      additionalProperties: this.#isOpen,
    };
  }
}

/** Returns an input name that does not change a prototype. */
export function safeName(name: string): string {
  return RESERVED.has(name) ? `param_${name}` : name;
}

/** Appends the sentence about the default from the schema's own description. */
function describe(description: string, { description: ofSchema = '' }: JsonSchema): string {
  const [note = ''] = /Default: .*\.$/.exec(String(ofSchema)) ?? [];
  return cutText([description.trim(), note].filter(Boolean).join(' '), 2000);
}
