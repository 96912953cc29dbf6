import { findSuitors } from '../../workers/matching/candidates.ts';
import { placeVerification, unverified, type Verification } from '../../workers/matching/chunks.ts';
import { placeJudgements } from '../../workers/matching/judging.ts';
import type { Columns } from './inputs.ts';
import { judgeChunk, type JudgingStage } from './judging.ts';
import type { Scored, ScoringStage } from './scoring.ts';

export interface Verified extends Verification {
  /** Words of a model. */
  readonly details: ReadonlyMap<number, string>;
  /** Pairs that somebody should have been asked about: another match may have more luck. */
  readonly unanswered: number;
}

export interface VerifyingStage extends ScoringStage {
  readonly scored: Scored;
  readonly columns: Columns;
}

/** Verifies the candidates of a match, by rules or by a model. */
export class Verifying {
  readonly #stage: VerifyingStage;
  readonly #verification: Verification;
  readonly #details = new Map<number, string>();
  #unanswered = 0;

  constructor(stage: VerifyingStage) {
    this.#stage = stage;
    const candidateCount = stage.prepared.equal.length * stage.scored.candidates.width;
    this.#verification = {
      confidences: new Uint32Array(new SharedArrayBuffer(candidateCount * 4)).fill(unverified),
      verdicts: new Uint8Array(new SharedArrayBuffer(candidateCount)),
    };
  }

  get result(): Verified {
    return { ...this.#verification, details: this.#details, unanswered: this.#unanswered };
  }

  async byRules(): Promise<void> {
    const { tasks, prepared, rules, scored } = this.#stage;
    const { candidates, lexical } = scored;
    const { width } = candidates;
    const suitors = findSuitors(lexical ?? candidates, prepared.right.starts.length - 1);
    const common = { prepared, rules, candidates, suitors, lexical };
    await tasks.chunked('verifying', prepared.equal.length, {
      make: (from, to) => tasks.run('verifyChunk', { ...common, from, to }),
      place: (data, from) => placeVerification(this.#verification, data, from * width),
    });
  }

  async byModel({ judge, order }: Pick<JudgingStage, 'judge' | 'order'>): Promise<void> {
    const { tasks, prepared, rules, scored, columns } = this.#stage;
    const { candidates } = scored;
    const { assignment } = rules;
    const pairsMost = judge.spec.maxVerifyPairs;
    const planned = await tasks.run('planJudging', { prepared, rules, candidates, pairsMost });
    const unanswered = (): void => void this.#unanswered++;
    const asked = { judge, order, prepared, candidates, columns, assignment, planned, unanswered };
    await tasks.chunked('verifying', prepared.equal.length, {
      make: (from, to) => judgeChunk(asked, [from, to]),
      place: (data, from) =>
        placeJudgements(this.#verification, this.#details, [data, from * candidates.width]),
    });
  }
}
