import type { Approval } from '../../../domain/approval.ts';
import { isRecord, listIn, textIn } from '../../../domain/loose-values.ts';
import { type ShownValue, showValue } from '../layout/show-value.ts';

/** The plan of a program, as its approval holds it (specification 2.8, `mcp_code_batch_run`), laid out for reading. */
export interface ShownProgram {
  intent: string | null;
  impact: string | null;
  /** What this approval covers, and what approvals of other policies do. */
  groups: { policyName: string; isThisOne: boolean; tools: string[] }[];
  calls: ShownCall[];
  /** Numbers of the calls under this approval whose inputs are not shown whole, as words; null: there are none. */
  notWhole: string | null;
  confidence: { label: string; sentence: string };
  signals: string[];
  /** What it reaches; empty lists are left out. */
  reach: { name: string; items: string[] }[];
  hashes: { name: string; value: string }[];
}

/** One predicted call. */
export interface ShownCall {
  tool: string;
  needsApproval: boolean;
  /** This approval is one that covers it. */
  isCovered: boolean;
  repeats: boolean;
  line: number | null;
  column: number | null;
  /** Null where it is not known before the program runs, or nothing of it is shown. */
  input: ShownValue | null;
  /** What of its input is not shown, in words; null where all of it is. */
  missing: string | null;
  isInputKnown: boolean;
}

/** Reads a plan's preview; what it does not hold is left out, and nothing is made up. */
export function presentProgram({ inputPreview: preview, policyId }: Pick<Approval, 'inputPreview' | 'policyId'>): ShownProgram {
  const gated = texts(preview.approvalRequiredTools);
  const groups = listIn(preview.approvalGroups)
    .filter(isRecord)
    .map((group) => ({
      policyName: textIn(group.approvalPolicyName) ?? 'A policy without a name',
      isThisOne: group.approvalPolicyId === policyId,
      tools: texts(group.tools),
    }));
  const covered = groups.filter(({ isThisOne }) => isThisOne).flatMap(({ tools }) => tools);
  const predicted = listIn(preview.predictedTools).map((call) => (isRecord(call) ? call : { tool: call }));
  // Plans of before name the tools alone.
  const isMarked = predicted.some(({ approvalPolicyId }) => typeof approvalPolicyId === 'string');
  const calls = predicted.map((call) => {
    const tool = textIn(call.tool) ?? 'a call without a name';
    const needsApproval = isMarked ? typeof call.approvalPolicyId === 'string' : gated.includes(tool);
    const isCovered = isMarked ? needsApproval && call.approvalPolicyId === policyId : covered.includes(tool);
    return presentCall(call, { tool, needsApproval, isCovered });
  });
  return {
    intent: textIn(preview.intentSummary),
    impact: textIn(preview.impactSummary),
    groups,
    calls,
    notWhole: notWholeOf(calls),
    confidence: CONFIDENCE[textIn(preview.analysisConfidence) ?? ''] ?? CONFIDENCE.dynamic,
    signals: texts(preview.dynamicSignals),
    reach: [
      { name: 'Sites it names', items: texts(preview.externalDomains) },
      { name: 'Storage it names', items: texts(preview.storageIndicators) },
      { name: 'Apps in its reach', items: texts(preview.availableApps) },
    ].filter(({ items }) => items.length > 0),
    hashes: [
      { name: 'Code (SHA-256)', value: textIn(preview.codeHash) },
      { name: 'Tools in its reach (SHA-256)', value: textIn(preview.toolSurfaceHash) },
    ].filter((hash): hash is { name: string; value: string } => hash.value !== null),
  };
}

const CONFIDENCE: Record<string, ShownProgram['confidence']> & { dynamic: ShownProgram['confidence'] } = {
  exact: { label: 'Exact', sentence: 'Every call and its input are known.' },
  partial: { label: 'Partial', sentence: 'Every call is known, but not every input, or not how often.' },
  dynamic: {
    label: 'Dynamic',
    sentence: 'Some calls are not known before it runs. Each of those meets the policies again when it is made.',
  },
};

function presentCall(call: Record<string, unknown>, known: Pick<ShownCall, 'tool' | 'needsApproval' | 'isCovered'>): ShownCall {
  const input = 'input' in call ? showValue(call.input, `input of ${known.tool}`) : null;
  return {
    ...known,
    repeats: call.repeats === true,
    line: numberIn(call.line),
    column: numberIn(call.column),
    input: input?.shown ?? null,
    missing: missingWords(numberIn(call.inputLength), numberIn(call.inputShownLength), input?.omitted ?? 0),
    isInputKnown: input !== null || numberIn(call.inputLength) !== null,
  };
}

function missingWords(length: number | null, shown: number | null, omitted: number): string | null {
  const count = (number: number) => number.toLocaleString('en');
  if (length !== null && !shown) return `Its input is ${count(length)} characters, and none of them are shown here.`;
  if (length !== null) return `Its input is ${count(length)} characters; ${count(shown!)} of them are shown here.`;
  return omitted > 0 ? `${count(omitted)} more values of its input are too many for this page; the API shows them.` : null;
}

const MAX_NUMBERS = 20;

function notWholeOf(calls: readonly ShownCall[]): string | null {
  const numbers = calls.flatMap(({ isCovered, missing }, index) => (isCovered && missing ? [index + 1] : []));
  if (numbers.length === 0) return null;
  const more = numbers.length > MAX_NUMBERS ? ` and ${numbers.length - MAX_NUMBERS} more` : '';
  return `${numbers.length === 1 ? 'call' : 'calls'} ${numbers.slice(0, MAX_NUMBERS).join(', ')}${more}`;
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function texts(value: unknown): string[] {
  return listIn(value).map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
}
