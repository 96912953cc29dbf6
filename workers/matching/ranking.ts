import { noRow, type Candidates } from './candidates.ts';
import { unverified, verdictAt, type Verification } from './chunks.ts';
import { decisions, type Decision, type MatchRules, type Reason } from './options.ts';
import type { PreparedMatch } from './prepared.ts';

/** A candidate for a left text, judged by itself. */
export interface Option {
  readonly text: number;
  readonly cosine: number;
  /** Confidence of the verifier; undefined if it was not asked. */
  readonly confidence: number | undefined;
  readonly decision: Decision;
  readonly reason: Reason;
  readonly isExact: boolean;
  /** Explanation of a model that was asked. */
  readonly detail?: string | undefined;
}

/** Inputs of the assignment. */
export interface Judged {
  readonly prepared: PreparedMatch;
  readonly rules: MatchRules;
  readonly candidates: Candidates;
  readonly verification: Verification;
  /** 1 for left texts of which the provider refused to make a vector. */
  readonly refused?: Uint8Array | undefined;
  /** Explanations of a model, by index of the candidate. */
  readonly details?: ReadonlyMap<number, string> | undefined;
}

const million = 1e6;

/** Returns the candidates of a left text, the most likely first. */
export function optionsOf(judged: Judged, left: number): Option[] {
  const { prepared, rules, candidates } = judged;
  const equal = prepared.equal[left] ?? noRow;
  const options: Option[] = [];
  for (let place = 0; place < candidates.width; place++) {
    const at = left * candidates.width + place;
    const text = candidates.rows[at] ?? noRow;
    if (text === noRow) break;
    if (text !== equal) options.push(judge(judged, at, text));
  }
  options.sort(rules.isJudged ? byDecision : byLikelihood);
  if (equal !== noRow && !rules.isDedupe) {
    const exact = { decision: 'accept', reason: 'exact', isExact: true } as const;
    options.unshift({ text: equal, cosine: 1, confidence: undefined, ...exact });
  }
  return options;
}

function judge(
  { rules, candidates, verification, details }: Judged,
  at: number,
  text: number,
): Option {
  const cosine = candidates.cosines[at] ?? 0;
  const word = verification.confidences[at] ?? unverified;
  const confidence = word === unverified ? undefined : word / million;
  const option = { text, cosine, confidence, isExact: false };
  if (cosine < rules.lo) return { ...option, decision: 'reject', reason: 'below-lo' };
  if (cosine >= rules.hi) return { ...option, decision: 'accept', reason: 'cosine>=hi' };
  if (confidence === undefined) {
    return { ...option, decision: 'review', reason: 'verifier-unavailable' };
  }
  if (rules.isJudged) {
    const decision = confidence > 0 ? 'accept' : 'reject';
    return { ...option, decision, reason: 'llm', detail: details?.get(at) };
  }
  const isAccepted = confidence >= rules.minConfidence;
  const verdict = verdictAt(verification, at, isAccepted);
  return isAccepted
    ? { ...option, decision: 'accept', reason: `verified:${verdict}` as Reason }
    : { ...option, decision: 'reject', reason: `refused:${verdict}` as Reason };
}

/** Compares by confidence, else by cosine, and finally by the order of the right column. */
function byLikelihood(a: Option, b: Option): number {
  return (b.confidence ?? -1) - (a.confidence ?? -1) || b.cosine - a.cosine || a.text - b.text;
}

/** Puts accepted candidates first, because yes or no does not say how certain it is. */
function byDecision(a: Option, b: Option): number {
  const place = ({ decision }: Option): number => decisions.indexOf(decision);
  return place(a) - place(b) || b.cosine - a.cosine || a.text - b.text;
}
