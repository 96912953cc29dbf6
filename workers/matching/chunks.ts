import { findCandidates, noRow, type Candidates, type Suitors } from './candidates.ts';
import { featureCount, PairFeatures } from './features.ts';
import { candidatesOf, type MatchRules } from './options.ts';
import type { PreparedMatch } from './prepared.ts';
import { confidenceOf, verdictOf, verdicts } from './verifier.ts';

/** Distinct left texts from one index up to another. */
export interface ChunkTask {
  readonly prepared: PreparedMatch;
  readonly rules: MatchRules;
  readonly from: number;
  readonly to: number;
}

export interface VerifyTask extends ChunkTask {
  readonly candidates: Candidates;
  readonly suitors: Suitors;
  /**
   * Cosines by terms of candidates that other vectors found, which the verifier knows how to judge.
   */
  readonly lexical?: Candidates | undefined;
}

/** Marks a pair whose confidence was not computed. */
export const unverified = 0xffffffff;
const million = 1e6;
const verdictShift = 4;

/**
 * Returns the candidates of some left texts as bytes: for each place the right text, then all
 * cosines in millionths. Equal inputs make equal bytes.
 */
export function scoreChunk({ prepared, rules, from, to }: ChunkTask): Uint8Array {
  const { rows, cosines } = findCandidates(prepared.corpus, {
    from,
    to,
    width: candidatesOf(rules),
    isHashed: rules.dim !== undefined,
    isDedupe: rules.isDedupe,
    blocks: blocksOf(prepared),
  });
  const words = new Uint32Array(rows.length * 2);
  words.set(rows);
  for (const [at, cosine] of cosines.entries()) {
    words[rows.length + at] = Math.round(cosine * million);
  }
  return new Uint8Array(words.buffer);
}

/** Returns the blocks of both sides, if rows have blocks. */
export function blocksOf({ left, right }: PreparedMatch) {
  return left.blocks && right.blocks && { left: left.blocks, right: right.blocks };
}

/** Copies the result of `scoreChunk` into all candidates. */
export function placeScores({ width, rows, cosines }: Candidates, bytes: Uint8Array, from: number) {
  const words = wordsOf(bytes);
  const count = words.length / 2;
  const start = from * width;
  rows.set(words.subarray(0, count), start);
  for (let at = 0; at < count; at++) cosines[start + at] = (words[count + at] ?? 0) / million;
}

/** Confidence of the verifier in each candidate, and its reasons for and against. */
export interface Verification {
  readonly confidences: Uint32Array;
  readonly verdicts: Uint8Array;
}

/**
 * Returns 32 bits for each place, then a byte for each: confidence in millionths, and both
 * verdicts.
 */
export function verifyChunk(task: VerifyTask): Uint8Array {
  const { prepared, rules, from, to, candidates, suitors } = task;
  const { width, rows, cosines } = candidates;
  const described = task.lexical ?? candidates;
  const features = new PairFeatures(prepared.corpus, suitors);
  const values = new Float64Array(featureCount);
  const count = (to - from) * width;
  const bytes = new Uint8Array(count * 5);
  const confidences = new Uint32Array(bytes.buffer, 0, count).fill(unverified);
  for (let left = from; left < to; left++) {
    if (isSettled(task, left)) continue;
    for (let place = 0; place < width; place++) {
      const at = left * width + place;
      if (rows[at] === noRow) break;
      if ((cosines[at] ?? 0) < rules.lo) continue;
      const facts = features.describe(left, { candidates: described, place }, values);
      const own = at - from * width;
      confidences[own] = Math.round(confidenceOf(values) * million);
      bytes[count * 4 + own] =
        verdicts.indexOf(verdictOf(facts, true)) |
        (verdicts.indexOf(verdictOf(facts, false)) << verdictShift);
    }
  }
  return bytes;
}

/** Returns whether equality decides already, so that the verifier is not needed. */
export function isSettled(
  { prepared, rules }: Pick<ChunkTask, 'prepared' | 'rules'>,
  left: number,
): boolean {
  return rules.assignment === 'many-to-one' && prepared.equal[left] !== noRow && !rules.isDedupe;
}

export function placeVerification(all: Verification, bytes: Uint8Array, start: number): void {
  const count = bytes.length / 5;
  all.confidences.set(wordsOf(bytes.subarray(0, count * 4)), start);
  all.verdicts.set(bytes.subarray(count * 4), start);
}

/** Returns the reason for an accepted pair, or against a refused one. */
export function verdictAt({ verdicts: all }: Verification, at: number, isAccepted: boolean) {
  const both = all[at] ?? 0;
  return verdicts[isAccepted ? both & 15 : both >> verdictShift] ?? 'low-confidence';
}

/** Returns bytes as 32-bit words; those from a database may begin at any address. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const copy = Uint8Array.from(bytes);
  return new Uint32Array(copy.buffer, 0, copy.length / 4);
}
