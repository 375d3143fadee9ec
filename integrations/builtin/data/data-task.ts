import { ActionError } from '../../definition.ts';
import { runBriefly } from '../run-briefly.ts';
import { itemTest } from './filter-conditions.ts';
import { type JsonObject, MERGES, type MergeStrategy } from './merge-objects.ts';
import { transformJson } from './transform-json.ts';

/** A computation of the data transformer, which can be sent to a thread. */
export type DataTask =
  | { kind: 'transform'; input: unknown; mapping: Readonly<Record<string, string>> }
  | { kind: 'merge'; objects: readonly JsonObject[]; strategy: MergeStrategy }
  | { kind: 'filter'; array: readonly unknown[]; conditions: Readonly<Record<string, unknown>> };

const LIMIT_MS = { transform: 250, merge: 1000, filter: 1000 };

/** Computes a task within `limitMs`, in ms. Throws ActionError. */
export function performDataTask(task: DataTask, limitMs = LIMIT_MS[task.kind]): unknown {
  return runBriefly(limitMs, () => {
    switch (task.kind) {
      case 'transform':
        return transformJson(task.input, task.mapping);
      case 'merge':
        return MERGES[task.strategy](task.objects);
      case 'filter':
        return task.array.filter(itemTest(task.conditions));
    }
  });
}

/** Returns the error of a task whose thread exceeded its deadline. */
export function tookTooLong(task: DataTask): ActionError {
  return new ActionError(`The calculation took longer than ${LIMIT_MS[task.kind]} ms and was stopped. Simplify it, or give it less data.`);
}
