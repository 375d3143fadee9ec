import { spendOperatorCode } from '../../store/spent-operator-codes.ts';
import type { Gateway } from '../gateway.ts';
import { readOperatorCode } from './operator-code.ts';

/**
 * Spends the operator codes among these texts, because others can read the texts in the workflow
 * history.
 */
export async function spendCodes({ db, tokens }: Pick<Gateway, 'db' | 'tokens'>, codes: readonly string[]): Promise<void> {
  for (const text of codes) {
    const code = readOperatorCode(tokens, text);
    if (code) await spendOperatorCode(db, code);
  }
}
