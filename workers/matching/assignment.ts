import { noRow } from './candidates.ts';
import type { Decision, Reason } from './options.ts';
import { optionsOf, type Judged, type Option } from './ranking.ts';

/** A row of a result, by the rows of the tables; without `right` the left row has no pair. */
export interface Pairing {
  readonly left: number;
  readonly right: number | undefined;
  readonly cosine: number | undefined;
  readonly confidence: number | undefined;
  readonly decision: Decision;
  readonly reason: Reason;
  /** Explanation of a model that was asked. */
  readonly detail?: string | undefined;
  /** Rank among the candidates of the left row, from 1. */
  readonly rank: number;
}

/** Rows of one equal text that a person gets to choose from. */
const sharedMost = 50;

/** Yields all rows of a result: left rows in table order, and their candidates by rank. */
export function* assign(judged: Judged): Generator<Pairing> {
  const { prepared, rules } = judged;
  const taken = rules.assignment === 'one-to-one' ? takePairs(judged) : undefined;
  let known: { text: number; options: Option[] } | undefined;
  const { textOf } = prepared.left;
  for (let left = 0; left < textOf.length; left++) {
    const text = textOf[left] ?? noRow;
    if (text === noRow) {
      yield lone(left, 'empty');
      continue;
    }
    if (known?.text !== text) known = { text, options: optionsOf(judged, text) };
    const pairs = pairsOf(judged, left, known.options);
    if (taken) yield* numbered(pairs.map((pair) => afterTaking(pair, taken)));
    else yield* numbered(rules.assignment === 'many-to-one' ? oneOf(pairs) : pairs);
    if (pairs.length > 0) continue;
    yield lone(left, judged.refused?.[text] === 1 ? 'provider-refused' : 'no-candidate');
  }
}

type Pair = Omit<Pairing, 'rank' | 'right'> & { readonly right: number };

/** Returns the candidate pairs of a left row, before rows compete for right ones. */
function pairsOf({ prepared, rules }: Judged, left: number, options: readonly Option[]): Pair[] {
  const pairs: Pair[] = [];
  if (rules.isDedupe) pairs.push(...earlierEqual(prepared, left));
  for (const option of options) {
    if (pairs.length >= rules.topK) break;
    if (pairs.length > 0 && option.cosine < rules.lo) continue;
    for (const pair of rowsOf({ prepared, rules }, left, option)) pairs.push(pair);
    if (option.isExact && rules.assignment === 'many-to-one') break;
  }
  return pairs;
}

/**
 * Returns an earlier row with the same text, which stands for this one; undefined if there is none.
 */
function earlierEqual(
  { left: { textOf, starts, rows } }: Judged['prepared'],
  left: number,
): Pair[] {
  const first = rows[starts[textOf[left] ?? 0] ?? 0] ?? left;
  if (first === left) return [];
  const facts = { cosine: 1, confidence: undefined, decision: 'accept', reason: 'exact' } as const;
  return [{ left, right: first, ...facts }];
}

function rowsOf(
  { prepared, rules }: Pick<Judged, 'prepared' | 'rules'>,
  left: number,
  option: Option,
): Pair[] {
  const { starts, rows, isAliased } = prepared.right;
  const from = starts[option.text] ?? 0;
  const all = rows.subarray(from, Math.min(starts[option.text + 1] ?? 0, from + sharedMost));
  const { cosine, confidence, decision, detail } = option;
  const pairOf = (right: number): Pair => {
    const isAlias = (prepared.left.isAliased[left] ?? 0) + (isAliased[right] ?? 0) > 0;
    const reason = reasonOf(option, isAlias);
    return { left, right, cosine, confidence, decision, reason, detail };
  };
  const first = rows[from];
  if (first === undefined) return [];
  if (all.length === 1 || isFirstEnough(rules, decision)) return [pairOf(first)];
  const pairs = Array.from(all, pairOf);
  if (rules.assignment === 'many-to-many') return pairs.slice(0, rules.topK);
  const isEnough = rules.assignment === 'one-to-one' && rivalsOf(prepared, left) >= all.length;
  return isEnough || decision !== 'accept' ? pairs : pairs.map(ambiguous);
}

/** Returns whether the first row of several with one text is taken, because no review is wanted. */
function isFirstEnough(
  { isDedupe, minConfidence, assignment }: Judged['rules'],
  decision: Decision,
): boolean {
  if (assignment !== 'many-to-one') return false;
  return isDedupe || minConfidence === 0 || decision === 'reject';
}

function reasonOf({ isExact, reason }: Option, isAlias: boolean): Reason {
  return isExact && isAlias ? 'verified:alias' : reason;
}

/** Returns the number of left rows with the same text. */
function rivalsOf({ left: { textOf, starts } }: Judged['prepared'], left: number): number {
  const text = textOf[left] ?? 0;
  return (starts[text + 1] ?? 0) - (starts[text] ?? 0);
}

function ambiguous(pair: Pair): Pair {
  return { ...pair, decision: 'review', reason: 'refused:ambiguous' };
}

/** Leaves at most one accepted pair: the others are reviewed if the first one is, else refused. */
function oneOf(pairs: readonly Pair[]): Pair[] {
  const isReviewed = pairs[0]?.decision === 'review';
  return pairs.map((pair, index) => {
    if (index === 0 || pair.decision === 'reject') return pair;
    if (isReviewed) return { ...pair, decision: 'review' };
    return { ...pair, decision: 'reject', reason: 'refused:ambiguous' };
  });
}

function* numbered(pairs: readonly Pair[]): Generator<Pairing> {
  for (const [index, pair] of pairs.entries()) yield { ...pair, rank: index + 1 };
}

function lone(left: number, reason: Reason): Pairing {
  const none = { right: undefined, cosine: undefined, confidence: undefined };
  return { left, ...none, decision: 'reject', reason, rank: 1 };
}

/** Assigns right rows to left rows one to one, the most certain pairs first. */
function takePairs(judged: Judged): ReadonlyMap<number, number> {
  const { textOf } = judged.prepared.left;
  const wanted: Pair[] = [];
  for (const [left, text] of textOf.entries()) {
    if (text === noRow) continue;
    for (const pair of pairsOf(judged, left, optionsOf(judged, text))) {
      if (pair.decision === 'accept') wanted.push(pair);
    }
  }
  wanted.sort((a, b) => sureness(b) - sureness(a) || a.left - b.left || a.right - b.right);
  const byLeft = new Map<number, number>();
  const takenRight = new Set<number>();
  for (const { left, right } of wanted) {
    if (byLeft.has(left) || takenRight.has(right)) continue;
    // In a column matched with itself, a row that has a pair is free for no other.
    if (judged.rules.isDedupe && (byLeft.has(right) || takenRight.has(left))) continue;
    byLeft.set(left, right);
    takenRight.add(right);
  }
  return byLeft;
}

function sureness({ confidence, cosine, reason }: Pair): number {
  if (reason === 'exact' || reason === 'verified:alias') return 2;
  return confidence ?? cosine ?? 0;
}

function afterTaking(pair: Pair, taken: ReadonlyMap<number, number>): Pair {
  if (pair.decision !== 'accept' || taken.get(pair.left) === pair.right) return pair;
  return { ...pair, decision: 'reject', reason: 'taken' };
}
