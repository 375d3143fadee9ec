import { spendOperatorCode } from '../../store/spent-operator-codes.ts';
import type { Gateway } from '../gateway.ts';
import { readOperatorCode } from './operator-code.ts';

/**
 * Spends all valid operator codes among these texts, because other people can read the codes in a
 * workflow history.
 */
export async function spendCodes({ db, tokens }: Pick<Gateway, 'db' | 'tokens'>, codes: readonly string[]): Promise<void> {
  for (const text of codes) {
    const code = readOperatorCode(tokens, text);
    if (code) await spendOperatorCode(db, code);
  }
}
