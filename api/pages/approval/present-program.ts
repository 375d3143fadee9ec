import type { Approval } from '../../../domain/approval.ts';
import { asList, asText, isRecord } from '../../../domain/unknown-values.ts';
import { type ShownValue, showValue } from '../layout/show-value.ts';

/** The plan of a program (specification 2.8, `mcp_code_batch_run`), prepared for a page. */
export interface ShownProgram {
  /** `isQuoted` is true for the program's own words, which are not checked. */
  intent: { words: string; isQuoted: boolean } | null;
  impact: string | null;
  /** Tools that need approval, by policy. `isThisOne` marks the policy of this approval. */
  groups: { policyName: string; isThisOne: boolean; tools: string[] }[];
  calls: ShownCall[];
  /** Covered calls whose known input is not shown completely, such as `calls 1, 3`. */
  notWhole: string | null;
  /** What is not known before the run. */
  unseen: string;
  signals: string[];
  reach: { name: string; items: string[] }[];
  hashes: { name: string; value: string }[];
}

/** One predicted call. */
export interface ShownCall {
  tool: string;
  needsApproval: boolean;
  /** Whether this approval covers the call. */
  isCovered: boolean;
  repeats: boolean;
  line: number | null;
  column: number | null;
  /** Null if the input is not known before the run, or not shown. */
  input: ShownValue | null;
  /** How much of the known input is not shown. */
  missing: string | null;
  isInputKnown: boolean;
  /** The known fields of an input, if only some are known, and the names of the others. */
  parts: { known: ShownValue; open: string[] } | null;
}

/** Reads the preview of a plan. */
export function presentProgram({ inputPreview: preview, policyId }: Pick<Approval, 'inputPreview' | 'policyId'>): ShownProgram {
  const gated = texts(preview.approvalRequiredTools);
  const groups = asList(preview.approvalGroups)
    .filter(isRecord)
    .map((group) => ({
      policyName: asText(group.approvalPolicyName) ?? 'A policy without a name',
      isThisOne: group.approvalPolicyId === policyId,
      tools: texts(group.tools),
    }));
  const covered = groups.filter(({ isThisOne }) => isThisOne).flatMap(({ tools }) => tools);
  const predicted = asList(preview.predictedTools).map((call) => (isRecord(call) ? call : { tool: call }));
  // A preview without policy ids names only the tools that need approval.
  const isMarked = predicted.some(({ approvalPolicyId }) => typeof approvalPolicyId === 'string');
  const calls = predicted.map((call) => {
    const tool = asText(call.tool) ?? 'a call without a name';
    const needsApproval = isMarked ? typeof call.approvalPolicyId === 'string' : gated.includes(tool);
    const isCovered = isMarked ? needsApproval && call.approvalPolicyId === policyId : covered.includes(tool);
    return presentCall(call, { tool, needsApproval, isCovered });
  });
  return {
    intent: intentOf(asText(preview.intentSummary)),
    impact: asText(preview.impactSummary),
    groups,
    calls,
    notWhole: notWholeOf(calls),
    unseen: UNSEEN[asText(preview.analysisConfidence) ?? ''] ?? UNSEEN.dynamic,
    signals: texts(preview.dynamicSignals),
    reach: [
      { name: 'Contacts', items: texts(preview.externalDomains) },
      { name: 'Files and keys', items: texts(preview.storageIndicators) },
      { name: 'Could also use', items: texts(preview.availableApps) },
    ].filter(({ items }) => items.length > 0),
    hashes: [
      { name: 'Code (SHA-256)', value: asText(preview.codeHash) },
      { name: 'Available tools (SHA-256)', value: asText(preview.toolSurfaceHash) },
    ].filter((hash): hash is { name: string; value: string } => hash.value !== null),
  };
}

const OWN_WORDS = 'The program describes itself: ';
/** Summaries that the service made. */
const MADE = /^Runs a program (that calls|whose calls) /;

function intentOf(summary: string | null): ShownProgram['intent'] {
  if (summary === null) return null;
  const isQuoted = !MADE.test(summary);
  return { words: summary.startsWith(OWN_WORDS) ? summary.slice(OWN_WORDS.length) : summary, isQuoted };
}

const UNSEEN: Record<string, string> & { dynamic: string } = {
  exact: 'nothing. We know every call and its input.',
  partial: 'some inputs, or how often a call runs.',
  dynamic: 'some calls, until the program runs. Each is checked against the policies when it is made.',
};

function presentCall(call: Record<string, unknown>, known: Pick<ShownCall, 'tool' | 'needsApproval' | 'isCovered'>): ShownCall {
  const input = 'input' in call ? showValue(call.input, `input of ${known.tool}`) : null;
  const fields = 'knownInput' in call ? showValue(call.knownInput, `known input of ${known.tool}`) : null;
  return {
    ...known,
    repeats: call.repeats === true,
    line: numberIn(call.line),
    column: numberIn(call.column),
    input: input?.shown ?? null,
    missing: missingWords(numberIn(call.inputLength), numberIn(call.inputShownLength), (input ?? fields)?.omitted ?? 0),
    isInputKnown: input !== null || (numberIn(call.inputLength) !== null && !('openFields' in call)),
    parts: fields && { known: fields.shown, open: texts(call.openFields) },
  };
}

function missingWords(length: number | null, shown: number | null, omitted: number): string | null {
  const count = (number: number) => number.toLocaleString('en');
  if (length !== null && !shown) return `Its input has ${count(length)} characters. None of them are shown here.`;
  if (length !== null) return `Its input has ${count(length)} characters. ${count(shown!)} of them are shown here.`;
  return omitted > 0 ? `${count(omitted)} more values of its input are not shown. The API shows them.` : null;
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
  return asList(value).map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
}
