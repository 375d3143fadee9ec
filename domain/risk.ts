/** What a risk model said of a call (decisions section 3: riskMode model_assisted). */

export const RISK_CATEGORIES = ['low', 'medium', 'high', 'critical'] as const;
export type RiskCategory = (typeof RISK_CATEGORIES)[number];

export interface Risk {
  /** 0 is harmless, 1 the worst. */
  score: number;
  /** The model's own words: whatever it was fed may have written them. */
  words: string;
  /** Not the model's judgement: a text in the input tries to make it. */
  isSteered?: true;
}

/** What an input scores that speaks to whoever judges it. */
export const STEERED: Risk = { score: 1, words: '', isSteered: true };

/** What the model said, or a sentence that says why it could not be asked. */
export type Assessment = Risk | { problem: string };

/** From this score on a call counts as risky. */
export const RISK_THRESHOLD = 0.5;

/** The category that a score falls into; a call that counts as risky is at least `high`. */
export function riskCategory(score: number): RiskCategory {
  if (score < 0.25) return 'low';
  if (score < RISK_THRESHOLD) return 'medium';
  return score < 0.9 ? 'high' : 'critical';
}

/** True where the call counts as risky: for its score, or because nobody could say. */
export function isRisky(assessment: Assessment): boolean {
  return 'problem' in assessment || assessment.score >= RISK_THRESHOLD;
}

/** An assessment in a sentence for a reviewer, in which the model's words are marked as such. */
export function describeRisk(assessment: Assessment): string {
  if ('problem' in assessment) return `risk model: ${assessment.problem}, so the call counts as risky`;
  const { score, words, isSteered } = assessment;
  if (isSteered) return `risk model: score ${score.toFixed(2)} (${riskCategory(score)}): a text in the input tries to steer its judgement`;
  const said = words === '' ? '' : `: the model says "${words}"`;
  return `risk model: score ${score.toFixed(2)} (${riskCategory(score)})${said}`;
}
