import type { ObjectExpression } from 'acorn';
import { type Env, type State, spend } from './state.ts';
import { propertyKey } from './values.ts';

/** The fields of an input that is only partly known. */
export interface KnownParts {
  /** Constant fields, which the code certainly sends. */
  known: KnownField[];
  /** Fields that are computed while the code runs. */
  open: string[][];
}

/** A field of an input. */
export interface KnownField {
  path: string[];
  value: unknown;
}

/** Maximum number of known and open fields of one input together. */
const MAX_FIELDS = 50;
const MAX_DEPTH = 10;

/**
 * The constant and the open fields of an object literal, without fields that a later unknown part
 * may overwrite.
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

/** A spread or unknown key may overwrite any earlier key. */
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
