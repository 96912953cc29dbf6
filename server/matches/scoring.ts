import { noRow, type Candidates } from '../../workers/matching/candidates.ts';
import { placeScores } from '../../workers/matching/chunks.ts';
import { joinDense, placeDense, type DenseVectors } from '../../workers/matching/dense.ts';
import { candidatesOf, type MatchRules } from '../../workers/matching/options.ts';
import type { PreparedMatch } from '../../workers/matching/prepared.ts';
import type { MatchTasks } from './tasks.ts';

export interface Scored {
  readonly candidates: Candidates;
  /** Candidates by their terms, where other vectors were compared. */
  readonly lexical?: Candidates;
}

export interface ScoringStage {
  readonly tasks: MatchTasks;
  readonly rules: MatchRules;
  readonly prepared: PreparedMatch;
}

/** Products of one task, and numbers of a vector: the same. */
const denseProducts = 1e9;

/** Finds the candidates of each text of a match. */
export class Scoring {
  readonly #stage: ScoringStage;

  constructor(stage: ScoringStage) {
    this.#stage = stage;
  }

  /** Scores by vectors that a provider made. */
  async dense(dense: DenseVectors): Promise<Required<Scored>> {
    const { tasks, rules, prepared } = this.#stage;
    const candidates = this.#emptyCandidates();
    const cosines = new Float64Array(new SharedArrayBuffer(candidates.cosines.byteLength));
    const rightCount = prepared.right.starts.length - 1;
    const step = Math.max(4, Math.floor(denseProducts / (rightCount * dense.width)));
    const rooms = Array.from({ length: tasks.most }, (_, room) => room);
    await tasks.chunked('scoring', prepared.equal.length, {
      make: async (from, to) => {
        const room = rooms.pop();
        if (room === undefined) throw new Error('more tasks than rooms');
        const parts: Uint8Array[] = [];
        for (let first = from; first < to; first += step) {
          const part = { from: first, to: Math.min(to, first + step) };
          parts.push(await tasks.run('scoreDense', { prepared, rules, ...part, dense, room }));
        }
        rooms.push(room);
        return joinDense(parts);
      },
      place: (data, from) => placeDense(candidates, cosines, [data, from]),
    });
    return { candidates, lexical: { ...candidates, cosines } };
  }

  /** Scores by the terms that texts have in common. */
  async lexical(): Promise<Scored> {
    const { tasks, rules, prepared } = this.#stage;
    const total = prepared.equal.length;
    const candidates = this.#emptyCandidates();
    await tasks.chunked('scoring', total, {
      make: (from, to) => tasks.run('scoreChunk', { prepared, rules, from, to }),
      place: (data, from) => placeScores(candidates, data, from),
    });
    return { candidates };
  }

  #emptyCandidates(): Candidates {
    const { rules, prepared } = this.#stage;
    const total = prepared.equal.length;
    const width = candidatesOf(rules);
    return {
      width,
      rows: new Uint32Array(new SharedArrayBuffer(total * width * 4)).fill(noRow),
      cosines: new Float64Array(new SharedArrayBuffer(total * width * 8)),
    };
  }
}
