import type { Call } from './call.ts';
import type { Matched, PolicyMatch } from './policies/match-policies.ts';

/** A call that the policies have judged, with the result. */
export interface JudgedCall extends Matched {
  call: Call;
  /** The hash to which an approval of this call is bound (contract decisions 3, Binding). */
  inputHash: string;
}

/** A judged call that a policy decides. */
export interface GatedCall extends JudgedCall {
  match: PolicyMatch;
}
