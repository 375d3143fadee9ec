import { createHash } from 'node:crypto';

const MAX_LENGTH = 64;

/** Converts a name to snake case (import contract 3). Empty if it has no ASCII letter or digit. */
export function toSnakeCase(text: string): string {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase();
  return /^[0-9]/.test(name) ? `op_${name}` : name;
}

/** Returns the words of a name, in lower case. */
export function wordsOf(text: string): string[] {
  return toSnakeCase(text).split('_').filter(Boolean);
}

/** What the name of an operation is made from. */
export interface Named {
  /** For example `GET /pets/{petId}`. */
  operation: string;
  method: string;
  path: string;
  operationId: string | undefined;
}

/**
 * Returns the names of operations, by operation. `known`: names of an earlier import, reserved for
 * their operations.
 */
export function nameOperations(operations: readonly Named[], known: ReadonlyMap<string, string>): Map<string, string> {
  const taken = new Set(known.values());
  const names = new Map<string, string>();
  const numbers = new Map<string, number>();
  for (const operation of operations) {
    const kept = known.get(operation.operation);
    const name = kept ?? free(bounded(ownName(operation), operation.operation), taken, numbers);
    taken.add(name);
    names.set(operation.operation, name);
  }
  return names;
}

function ownName({ operationId = '', method, path }: Named): string {
  // Long ids are shortened later, so only the first 1,024 characters matter.
  const named = toSnakeCase(operationId.slice(0, 1024));
  if (named !== '') return operationId.length > 1024 ? named.padEnd(MAX_LENGTH + 1, '_') : named;
  const spoken = path.replace(/\{([^{}]*)\}/g, '/by/$1/');
  return toSnakeCase(`${method.toLowerCase()}/${spoken}`);
}

function bounded(name: string, operation: string): string {
  if (name.length <= MAX_LENGTH) return name;
  return `${name.slice(0, 55)}_${createHash('sha256').update(operation).digest('hex').slice(0, 8)}`;
}

/** `numbers`: the next number to try, by name. */
function free(name: string, taken: ReadonlySet<string>, numbers: Map<string, number>): string {
  let candidate = name;
  for (let number = numbers.get(name) ?? 2; taken.has(candidate); number += 1) {
    const suffix = `_${number}`;
    candidate = name.slice(0, MAX_LENGTH - suffix.length) + suffix;
    numbers.set(name, number + 1);
  }
  return candidate;
}
