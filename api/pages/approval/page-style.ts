import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval } from '../../../domain/approval.ts';

const SHEETS = ['approval', 'countdown', 'changes', 'code'];

/** The style sheets that all pages about approvals share. */
export const STYLE = SHEETS.map((name) => readFileSync(join(import.meta.dirname, `${name}.css`), 'utf8')).join('\n');

/** The style of an approval's page. The countdown runs in CSS, without a script. */
export function pageStyle({ createdAt, expiresAt }: Pick<Approval, 'createdAt' | 'expiresAt'>, now: Date): string {
  const whole = Math.max(1, Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000));
  const left = Math.min(whole, Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / 1000)));
  return `${STYLE}:root{--whole:${whole};--whole-time:${whole}s;--gone-time:${left - whole}s;--left-time:${left}s;--share:${left / whole}}`;
}
