import type { ActionCategory } from '../../../domain/policies/policy.ts';
import { isObject } from '../../schema/evaluation.ts';

/** What follows from a tool's annotations (import contract 4). */
export interface ToolKind {
  category: ActionCategory;
  categoryFrom: 'annotations' | 'default';
  /** Whether a call with an unknown outcome may be repeated. */
  idempotent: boolean;
}

/**
 * Returns the category of a tool. Annotations are claims of the server: if they are not trusted,
 * the category is never lower than `write`.
 */
export function kindOfTool(annotations: unknown, isTrusted: boolean): ToolKind {
  const hints = isObject(annotations) ? annotations : {};
  if (Object.keys(hints).length === 0) return { category: 'write', categoryFrom: 'default', idempotent: false };
  const idempotent = isTrusted && hints.idempotentHint === true;
  if (hints.readOnlyHint === true)
    return isTrusted
      ? { category: 'read', categoryFrom: 'annotations', idempotent: true }
      : { category: 'write', categoryFrom: 'default', idempotent: false };
  return { category: hints.destructiveHint === false ? 'write' : 'delete', categoryFrom: 'annotations', idempotent };
}
