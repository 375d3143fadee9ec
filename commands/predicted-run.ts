import type { CodePlan } from '../sandbox/plan.ts';

/** What was predicted of a run, without the inputs: nothing is in it that a preview would hide, but for names that the code itself holds. */
export interface PredictedRun extends Pick<CodePlan, 'analysisConfidence' | 'externalDomains' | 'storageIndicators' | 'dynamicSignals'> {
  calls: { tool: string; line: number; repeats: boolean }[];
}

/** What is kept of a plan for the history. */
export function predictedRun({ calls, analysisConfidence, externalDomains, storageIndicators, dynamicSignals }: CodePlan): PredictedRun {
  return {
    calls: calls.map(({ alias, action, line, repeats }) => ({ tool: `${alias}.${action}`, line, repeats })),
    ...{ analysisConfidence, externalDomains, storageIndicators, dynamicSignals },
  };
}
