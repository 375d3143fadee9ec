import { spendOperatorCode } from '../../store/spent-operator-codes.ts';
import type { Gateway } from '../gateway.ts';
import { readOperatorCode } from './operator-code.ts';

/**
 * Spends every valid code among these texts. They are in a workflow history, where others may read
 * them.
 */
export async function spendCodes({ db, tokens }: Pick<Gateway, 'db' | 'tokens'>, codes: readonly string[]): Promise<void> {
  for (const text of codes) {
    const code = readOperatorCode(tokens, text);
    if (code) await spendOperatorCode(db, code);
  }
}
