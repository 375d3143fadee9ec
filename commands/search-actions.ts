import { codeName, type DeclaredAction, signatureOf } from './declarations.ts';

export interface SearchedAction extends DeclaredAction {
  displayName?: string;
  /** Keys that are preset and that callers cannot send. */
  hiddenKeys: readonly string[];
  /** Whether a policy may make a call wait for a person. */
  approval: boolean;
}

export interface SearchedIntegration {
  alias: string;
  integrationName: string;
  displayName: string;
  connected: boolean;
  actions: readonly SearchedAction[];
}

export interface SearchRequest {
  query?: string | undefined;
  alias?: string | undefined;
  limit?: number | undefined;
}

export interface FoundIntegration extends Omit<SearchedIntegration, 'actions'> {
  actions: FoundAction[];
}

export interface FoundAction {
  functionName: string;
  actionName: string;
  description: string;
  signature: string;
  hiddenKeys: readonly string[];
  approval: boolean;
}

/** What svc_search answers (decisions section 4): the actions that fit best, under their integrations, best first; without a query, all. `total` counts actions. */
export function searchActions(
  surface: readonly SearchedIntegration[],
  { query = '', alias, limit = DEFAULT_LIMIT }: SearchRequest,
): { integrations: FoundIntegration[]; total: number; truncated: boolean } {
  const words = wordsOf(query).filter((word) => !FILLERS.has(word));
  const searched = surface.filter((integration) => alias === undefined || codeName(integration.alias) === codeName(alias));
  const hits = searched
    .flatMap((integration) => integration.actions.map((action) => ({ integration, action, score: scoreOf(words, integration, action) })))
    .filter(({ score }) => score > 0);
  hits.sort((a, b) => b.score - a.score);
  return { integrations: grouped(hits.slice(0, limit)), total: hits.length, truncated: hits.length > limit };
}

const DEFAULT_LIMIT = 20;
const FILLERS = new Set('a an and by for from how i in into is it me my of on or that the this to want what with'.split(' '));
const WEIGHTS = { name: 6, integration: 4, description: 2 } as const;
const PART_OF_WORD = 0.5;
const MIN_STEM = 3;

interface Hit {
  integration: SearchedIntegration;
  action: SearchedAction;
  score: number;
}

function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return [...new Set(spaced.match(/[\p{L}\p{N}]+/gu) ?? [])];
}

// A word counts where it weighs most, and words that all fit together count more than their sum.
function scoreOf(words: readonly string[], integration: SearchedIntegration, action: SearchedAction): number {
  if (words.length === 0) return 1;
  const fields = [
    { weight: WEIGHTS.name, words: wordsOf(`${action.name} ${action.displayName ?? ''}`) },
    { weight: WEIGHTS.integration, words: wordsOf(`${integration.alias} ${integration.integrationName} ${integration.displayName}`) },
    { weight: WEIGHTS.description, words: wordsOf(action.description) },
  ];
  const scores = words.map((word) => Math.max(...fields.map((field) => field.weight * fitOf(word, field.words))));
  const fitting = scores.filter((score) => score > 0).length;
  return scores.reduce((sum, score) => sum + score, 0) * (fitting / words.length);
}

function fitOf(word: string, among: readonly string[]): number {
  if (among.includes(word)) return 1;
  if (word.length < MIN_STEM) return 0;
  const stem = stemOf(word);
  if (among.some((other) => stemOf(other) === stem)) return 0.9;
  return among.some((other) => other.startsWith(stem) || (other.length >= MIN_STEM && word.startsWith(other))) ? PART_OF_WORD : 0;
}

function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ed|es|s|e)$/, '');
  return stem.length >= MIN_STEM ? stem : word;
}

function grouped(hits: readonly Hit[]): FoundIntegration[] {
  const byAlias = new Map<string, FoundIntegration>();
  for (const { integration, action } of hits) {
    const { alias, integrationName, displayName, connected } = integration;
    const found = byAlias.get(alias) ?? { alias, integrationName, displayName, connected, actions: [] };
    byAlias.set(alias, found);
    found.actions.push(present(alias, action));
  }
  return [...byAlias.values()];
}

function present(alias: string, action: SearchedAction): FoundAction {
  const { name, description, hiddenKeys, approval } = action;
  return { functionName: codeName(name), actionName: name, description, signature: signatureOf(alias, action), hiddenKeys, approval };
}
