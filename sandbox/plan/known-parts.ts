import type { ObjectExpression } from 'acorn';
import { type Env, type State, spend } from './state.ts';
import { propertyKey } from './values.ts';

/** The fields of an input that is only partly known. */
export interface KnownParts {
  /** Fields with a constant value, which the code certainly sends. */
  known: KnownField[];
  /** Paths of fields whose value is computed while the code runs. */
  open: string[][];
}

/** A field of an input. */
export interface KnownField {
  path: string[];
  value: unknown;
}

/** Limit of the fields of one input, known and open together. */
const MAX_FIELDS = 50;
const MAX_DEPTH = 10;

/**
 * The constant and the open fields of an object literal that the code passes to a call. Leaves out
 * fields that a later unknown part, such as a spread, may overwrite.
 */
export function knownParts(state: State, node: ObjectExpression, env: Env | null): KnownParts {
  const parts: KnownParts = { known: [], open: [] };
  addParts(parts, { state, env }, node, []);
  return parts;
}

interface Reading {
  state: State;
  env: Env | null;
}

function addParts(parts: KnownParts, reading: Reading, node: ObjectExpression, above: string[]): void {
  const { state, env } = reading;
  spend(state);
  for (const [key, value] of lastValues(reading, node)) {
    if (parts.known.length + parts.open.length >= MAX_FIELDS) return;
    const path = [...above, key];
    const found = state.evaluate(state, value, env);
    const json = found.kind === 'constant' ? JSON.stringify(found.value) : undefined;
    if (json !== undefined) parts.known.push({ path, value: JSON.parse(json) });
    else if (value.type === 'ObjectExpression' && path.length < MAX_DEPTH) addParts(parts, reading, value, path);
    else if (found.kind !== 'constant') parts.open.push(path);
  }
}

/**
 * The expressions of the keys after the last spread or unknown key, which may overwrite any earlier
 * key. Of a repeated key, only the last expression.
 */
function lastValues({ state, env }: Reading, { properties }: ObjectExpression): Map<string, PropertyValue> {
  const values = new Map<string, PropertyValue>();
  for (const property of properties) {
    const key = property.type === 'SpreadElement' ? undefined : propertyKey(state, property, env);
    if (key === undefined || property.type === 'SpreadElement') values.clear();
    else values.set(key, property.value);
  }
  return values;
}

type PropertyValue = Exclude<ObjectExpression['properties'][number], { type: 'SpreadElement' }>['value'];
