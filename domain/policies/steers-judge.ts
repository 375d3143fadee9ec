import { safeNfkc } from './normal-text.ts';
import { plainLetters } from './plain-letters.ts';
import { textsIn } from './texts-in.ts';

/**
 * Whether a text or key obviously instructs the risk model. Case, spacing, punctuation, accents and
 * look-alike letters do not matter.
 */
export function steersJudge(value: unknown): boolean {
  return textsIn(value).some((text) => {
    const read = squeeze(text);
    return PATTERNS.some((pattern) => pattern.test(read));
  });
}

function squeeze(text: string): string {
  return plainLetters(safeNfkc(text))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.|[\]]|\.(?!\d)|(?<!\d)\./gu, '');
}

const FILLERS = '(?:all|any|every|of|the|these|those|that|and|other|you|were|given){0,8}';
const WHICH = '(?:your|all|any|every|previous|prior|above|earlier|preceding|foregoing|system|former)';
const ORDERS = '(?:instruct|prompt|guideline|directive)';
const ANSWER = '(?:answer|respond|reply|return|output|give|assign)';
const SMALL_WORDS = '(?:with|only|just|json|exactly|always|a|an|the|it|this|me|call|action|risk|overall|final|its|of|as){0,8}';
const EQUALS = '(?:of|is|as|to|at|with|be|a|the|risk|must|should|equals?|exactly|value){0,8}';
const LOW = '(?:0(?:\\.[0-4]\\d*)?(?![\\d.])|zero|harmless|lowest|minimum|norisk)';

/** Repetitions are bounded, so that matching takes linear time. */
const PATTERNS = [
  new RegExp(`(?:ignore|disregard|forget|override|bypass)${FILLERS}${WHICH}${FILLERS}${WHICH}?${ORDERS}`),
  new RegExp(`${ANSWER}${SMALL_WORDS}score${EQUALS}${LOW}`),
  new RegExp(`score(?:it|this|thiscall|thisaction|therequest|thisrequest)${EQUALS}${LOW}`),
  new RegExp(`(?:the|risk)score(?:must|should|hasto|needsto|shall|will)be${EQUALS}${LOW}`),
  /(?:to|dear|hey|hello|attention|notefor)(?:the)?(?:risk|ai|llm|automated){0,2}(?:judge|riskmodel|riskassessor|languagemodel).{0,80}?(?:score|harmless|lowrisk|norisk)/,
  /\|(?:imstart|imend|endoftext)\||\[\/?inst\]/,
];
