import type { CodePlan } from '../../../sandbox/plan/plan.ts';

/** The predicted calls of a run, without inputs, which can contain secrets. */
export interface PredictedRun extends Pick<CodePlan, 'analysisConfidence' | 'externalDomains' | 'storageIndicators' | 'dynamicSignals'> {
  calls: { tool: string; line: number; repeats: boolean }[];
}

/** The part of a plan that is stored for the history. */
export function predictedRun({ calls, analysisConfidence, externalDomains, storageIndicators, dynamicSignals }: CodePlan): PredictedRun {
  return {
    calls: calls.map(({ alias, action, line, repeats }) => ({ tool: `${alias}.${action}`, line, repeats })),
    ...{ analysisConfidence, externalDomains, storageIndicators, dynamicSignals },
  };
}
