import type { Approval } from '../../../domain/approval.ts';
import { type ShownValue, showValue } from '../layout/show-value.ts';

/** The plan of a program, as its approval holds it (specification 2.8, `mcp_code_batch_run`), laid out for reading. */
export interface ShownProgram {
  intent: string | null;
  impact: string | null;
  /** What this approval covers, and what approvals of other policies do. */
  groups: { policyName: string; isThisOne: boolean; tools: string[] }[];
  calls: ShownCall[];
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
  /** Null where it is not known before the program runs. */
  input: ShownValue | null;
}

/** Reads a plan's preview; what it does not hold is left out, and nothing is made up. */
export function presentProgram({ inputPreview: preview, policyId }: Pick<Approval, 'inputPreview' | 'policyId'>): ShownProgram {
  const gated = texts(preview.approvalRequiredTools);
  const groups = list(preview.approvalGroups)
    .filter(isRecord)
    .map((group) => ({
      policyName: text(group.approvalPolicyName) ?? 'A policy without a name',
      isThisOne: group.approvalPolicyId === policyId,
      tools: texts(group.tools),
    }));
  const covered = groups.filter(({ isThisOne }) => isThisOne).flatMap(({ tools }) => tools);
  return {
    intent: text(preview.intentSummary),
    impact: text(preview.impactSummary),
    groups,
    calls: list(preview.predictedTools).map((call) => presentCall(call, gated, covered)),
    confidence: CONFIDENCE[text(preview.analysisConfidence) ?? ''] ?? CONFIDENCE.dynamic,
    signals: texts(preview.dynamicSignals),
    reach: [
      { name: 'Sites it names', items: texts(preview.externalDomains) },
      { name: 'Storage it names', items: texts(preview.storageIndicators) },
      { name: 'Apps in its reach', items: texts(preview.availableApps) },
    ].filter(({ items }) => items.length > 0),
    hashes: [
      { name: 'Code (SHA-256)', value: text(preview.codeHash) },
      { name: 'Tools in its reach (SHA-256)', value: text(preview.toolSurfaceHash) },
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

function presentCall(call: unknown, gated: string[], covered: string[]): ShownCall {
  const fields = isRecord(call) ? call : { tool: call };
  const tool = text(fields.tool) ?? 'a call without a name';
  return {
    tool,
    needsApproval: gated.includes(tool),
    isCovered: covered.includes(tool),
    repeats: fields.repeats === true,
    line: typeof fields.line === 'number' ? fields.line : null,
    input: 'input' in fields ? showValue(fields.input, `input of ${tool}`).shown : null,
  };
}

function texts(value: unknown): string[] {
  return list(value).map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
