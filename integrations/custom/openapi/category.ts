import { ACTION_CATEGORIES, type ActionCategory } from '../../../domain/policies/policy.ts';
import { wordsOf } from './names.ts';

const WORDS: Partial<Record<ActionCategory, readonly string[]>> = {
  send: ['send', 'invite', 'notify', 'email', 'sms', 'publish'],
  payment: ['pay', 'payment', 'charge', 'refund', 'payout', 'transfer', 'invoice', 'subscription', 'checkout'],
  admin: ['role', 'permission', 'member', 'token', 'key', 'user'],
};
const BY_WORD = new Map(
  Object.entries(WORDS).flatMap(([category, words]) =>
    words.flatMap((word) => [word, plural(word)].map((one) => [one, category as ActionCategory] as const)),
  ),
);

/** `categoryFrom` is, for example, `method` or `path: refunds`. */
export interface Categorized {
  category: ActionCategory;
  categoryFrom: string;
}

/**
 * Returns the category of an operation by its method (import contract 3). A word of the operation
 * id, the path or the tags can raise `write`.
 */
export function categorize({
  method,
  path,
  operationId,
  tags,
}: {
  method: string;
  path: string;
  operationId: string | undefined;
  tags: readonly string[];
}): Categorized {
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return { category: 'read', categoryFrom: 'method' };
  if (method === 'DELETE') return { category: 'delete', categoryFrom: 'method' };
  const last = path.split('/').findLast((part) => part !== '' && !part.includes('{')) ?? '';
  const places: [string, string][] = [
    ['operationId', operationId ?? ''],
    ['path', last],
    ...tags.map((tag): [string, string] => ['tag', tag]),
  ];
  let found: Categorized = { category: 'write', categoryFrom: 'method' };
  for (const [place, text] of places) {
    for (const word of wordsOf(text.slice(0, 500))) {
      const category = BY_WORD.get(word);
      if (category && rank(category) > rank(found.category)) found = { category, categoryFrom: `${place}: ${word}` };
    }
  }
  return found;
}

function rank(category: ActionCategory): number {
  return ACTION_CATEGORIES.indexOf(category);
}

function plural(word: string): string {
  return word.endsWith('y') && !/[aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
