import type { Call } from './call.ts';
import type { Matched, PolicyMatch } from './policies/match-policies.ts';

/** A call at the gate, with the result of the policies. */
export interface JudgedCall extends Matched {
  call: Call;
  /** The hash to which an approval of this call is bound (contract decisions 3, Binding). */
  inputHash: string;
}

/** A judged call that a policy decides. */
export interface GatedCall extends JudgedCall {
  match: PolicyMatch;
}
