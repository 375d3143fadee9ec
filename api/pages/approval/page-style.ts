import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval } from '../../../domain/approval.ts';

/** What every page about an approval has. */
export const STYLE = readFileSync(join(import.meta.dirname, 'approval.css'), 'utf8');

/**
 * The style of one approval's page: the sheet, and the numbers of its countdown (how long the request lives, how much of that is gone, in
 * seconds), from which the sheet counts down without a script. The page's policy allows this very text, by its hash.
 */
export function pageStyle({ createdAt, expiresAt }: Pick<Approval, 'createdAt' | 'expiresAt'>, now: Date): string {
  const whole = Math.max(1, Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000));
  const left = Math.min(whole, Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / 1000)));
  return `${STYLE}:root{--whole:${whole};--whole-time:${whole}s;--gone-time:${left - whole}s;--left-time:${left}s;--share:${left / whole}}`;
}
