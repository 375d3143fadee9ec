import type { AnyNode, Pattern } from 'acorn';
import { bindPattern } from './call-values.ts';
import { isReadOnly } from './read-only.ts';
import { innerEnv, type Value } from './state.ts';
import { leavesOf } from './syntax.ts';
import { evaluate } from './values.ts';
import type { Walk } from './walk-state.ts';

/** The elements of a constant list that is short enough to walk. */
export function elementsOf({ state, env }: Walk, list: AnyNode): Value[] | null {
  if (state.opaque === 'all' || state.tampered) return null;
  const value = evaluate(state, list, env);
  if (value.kind !== 'constant' || !Array.isArray(value.value) || value.value.length > MAX_ROUNDS) return null;
  return value.value.map((element: unknown) => ({ kind: 'constant', value: element, size: value.size }));
}

/** Whether the loop can be walked once for each element, with the element as its variable. */
export function isSettled({ state }: Walk, pattern: Pattern, elements: Value[]): boolean {
  return leavesOf(pattern).every(({ identifier, path, mayDefault }) => {
    const binding = state.scopes.bindingOf.get(identifier);
    if (!binding || !path || mayDefault || binding.kind === 'var') return false;
    const whole = path.length === 0;
    return elements.every((element) => element.kind === 'constant' && (!whole || isReadOnly(state, binding, element.value)));
  });
}

/** The walk for one round of a loop. */
export function withElement(walk: Walk, pattern: Pattern, element: Value): Walk {
  const env = innerEnv(walk.env);
  bindPattern(walk.state, env, pattern, element);
  return { ...walk, env };
}

const MAX_ROUNDS = 50;
