/** Categories of risk, the lowest first (contract decisions 3: riskMode model_assisted). */

export const RISK_CATEGORIES = ['low', 'medium', 'high', 'critical'] as const;
export type RiskCategory = (typeof RISK_CATEGORIES)[number];

/** The assessment that a risk model gave. */
export interface Risk {
  /** From 0 (harmless) to 1 (worst). */
  score: number;
  /** The model's explanation. Not trustworthy: a text in the input may have dictated it. */
  words: string;
  /** Set if `steersJudge` found a text that steers the model. The model was then not asked. */
  isSteered?: true;
}

/** The assessment of an input that steers the model. */
export const STEERED: Risk = { score: 1, words: '', isSteered: true };

/** The assessment, or why there is none. */
export type Assessment = Risk | { problem: string };

const RISK_THRESHOLD = 0.5;

/** A risky call is at least `high`. */
export function riskCategory(score: number): RiskCategory {
  if (score < 0.25) return 'low';
  if (score < RISK_THRESHOLD) return 'medium';
  return score < 0.9 ? 'high' : 'critical';
}

/** Whether a call counts as risky. A call without an assessment does. */
export function isRisky(assessment: Assessment): boolean {
  return 'problem' in assessment || assessment.score >= RISK_THRESHOLD;
}

/** Returns an assessment as a sentence for a reviewer. */
export function describeRisk(assessment: Assessment): string {
  if ('problem' in assessment) return `risk model: ${assessment.problem}, so the call counts as risky`;
  const { score, words, isSteered } = assessment;
  if (isSteered) return `risk model: score ${score.toFixed(2)} (${riskCategory(score)}): a text in the input tries to steer its judgement`;
  const said = words === '' ? '' : `: the model says "${words}"`;
  return `risk model: score ${score.toFixed(2)} (${riskCategory(score)})${said}`;
}
