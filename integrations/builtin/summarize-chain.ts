import { cutText } from '../../domain/cut-text.ts';
import type { Thought } from '../agent-state.ts';

const EXCERPT_LENGTH = 200;
const SHOWN_EACH_END = 25;

/** Summarizes a chain: counts its thoughts and shortens their texts, without interpretation. */
export function summarizeChain(chainId: string, all: readonly Thought[]) {
  const mainLine = mainLineOf(all);
  const branches = branchesOf(all);
  const revised = all.filter(({ earlier }) => earlier.length > 0);
  const counts = {
    thoughtCount: all.length,
    mainLineCount: mainLine.length,
    branchCount: branches.length,
    revisionCount: revised.reduce((sum, { earlier }) => sum + earlier.length, 0),
  };
  const changed = all.map(({ updatedAt }) => updatedAt.getTime());
  return {
    chainId,
    found: all.length > 0,
    ...counts,
    branches: branches.map(({ thoughts: _, ...branch }) => branch),
    revisedThoughtIds: revised.map(({ thoughtId }) => thoughtId),
    startedAt: all[0]?.createdAt.toISOString() ?? null,
    updatedAt: all.length > 0 ? new Date(Math.max(...changed)).toISOString() : null,
    summary: [headline(chainId, counts), ...lineOf(mainLine), ...branches.flatMap(branchLines)].join('\n'),
  };
}

export function mainLineOf(all: readonly Thought[]): Thought[] {
  return all.filter(({ branch }) => branch === null);
}

/** Returns the branches, the first started first. */
export function branchesOf(all: readonly Thought[]) {
  const byName = Map.groupBy(
    all.filter(({ branch }) => branch !== null),
    ({ branch }) => branch as string,
  );
  return [...byName].map(([branchName, thoughts]) => ({
    branchName,
    fromThoughtId: thoughts[0]!.follows,
    thoughtCount: thoughts.length,
    thoughts,
  }));
}

interface Counts {
  thoughtCount: number;
  mainLineCount: number;
  branchCount: number;
  revisionCount: number;
}

function headline(chainId: string, { thoughtCount, mainLineCount, branchCount, revisionCount }: Counts): string {
  if (thoughtCount === 0) return `Chain ${chainId} has no thoughts.`;
  const parts = [`${counted(mainLineCount, 'thought')} on the main line`];
  if (branchCount > 0) parts.push(`${thoughtCount - mainLineCount} in ${counted(branchCount, 'branch', 'branches')}`);
  if (revisionCount > 0) parts.push(counted(revisionCount, 'revision'));
  return `Chain ${chainId}: ${parts.join(', ')}.`;
}

function branchLines({ branchName, fromThoughtId, thoughts }: ReturnType<typeof branchesOf>[number]): string[] {
  return [`Branch ${branchName}, from thought ${fromThoughtId}:`, ...lineOf(thoughts)];
}

function lineOf(thoughts: readonly Thought[]): string[] {
  const lines = thoughts.map(({ thoughtId, content, earlier }) => {
    const revised = earlier.length > 0 ? ` (revised ${earlier.length === 1 ? 'once' : `${earlier.length} times`})` : '';
    return `${thoughtId}. ${excerptOf(content)}${revised}`;
  });
  const omitted = lines.length - 2 * SHOWN_EACH_END;
  if (omitted <= 0) return lines;
  return [...lines.slice(0, SHOWN_EACH_END), `… ${counted(omitted, 'thought')} left out …`, ...lines.slice(-SHOWN_EACH_END)];
}

function excerptOf(content: string): string {
  const line = content.replace(/\s+/g, ' ').trim();
  return line.length > EXCERPT_LENGTH ? `${cutText(line, EXCERPT_LENGTH).trimEnd()}…` : line;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
