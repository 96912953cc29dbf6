import { noRow, type Candidates } from '../../workers/matching/candidates.ts';
import { packJudgements, type Judgement } from '../../workers/matching/judging.ts';
import { textAt, type PreparedMatch, type Side } from '../../workers/matching/prepared.ts';
import type { Assignment } from '../../workers/matching/options.ts';
import type { ReadColumn } from './columns.ts';
import type { Judge, JudgeOrder } from './providers/judge.ts';
import type { JudgedPair } from './providers/prompt.ts';

export interface JudgingStage {
  readonly judge: Judge;
  readonly order: JudgeOrder;
  readonly prepared: PreparedMatch;
  readonly candidates: Candidates;
  readonly columns: { readonly left: ReadColumn; readonly right: ReadColumn };
  readonly assignment: Assignment;
  /** 1 for candidates that may be asked about. */
  readonly planned: Uint8Array;
  /** Is told that a pair stays without a verdict. */
  readonly unanswered: () => void;
}

const alternativesMost = 4;

/**
 * Asks about the candidates of a part of the left texts. Where one right row is wanted, the
 * likeliest comes first, and the next one only where that was refused.
 */
export async function judgeChunk(
  stage: JudgingStage,
  [from, to]: readonly [number, number],
): Promise<Uint8Array> {
  const { candidates, planned, assignment } = stage;
  const { width } = candidates;
  const isOneEnough = assignment === 'many-to-one';
  const judgements: Judgement[] = [];
  const accepted = new Set<number>();
  for (let place = 0; place < width; place++) {
    const asked: number[] = [];
    for (let left = from; left < to; left++) {
      const at = left * width + place;
      if (planned[at] === 1 && !(isOneEnough && accepted.has(left))) asked.push(at);
    }
    const pairs = asked.map((at) => pairAt(stage, at));
    const verdicts = pairs.length > 0 ? await stage.judge.judge(pairs, stage.order) : [];
    for (const [index, at] of asked.entries()) {
      const verdict = verdicts[index];
      if (!verdict) {
        stage.unanswered();
        continue;
      }
      const { isMatch, reason: detail } = verdict;
      if (isMatch) accepted.add(Math.floor(at / width));
      judgements.push({ own: at - from * width, isMatch, detail });
    }
  }
  return packJudgements(judgements);
}

function pairAt({ candidates, prepared, columns }: JudgingStage, at: number): JudgedPair {
  const { width, rows, cosines } = candidates;
  const left = Math.floor(at / width);
  const alternatives: string[] = [];
  for (let place = left * width; place < (left + 1) * width; place++) {
    const other = rows[place] ?? noRow;
    if (other === noRow || alternatives.length >= alternativesMost) break;
    if (place !== at) alternatives.push(shownText(columns.right, prepared.right, other));
  }
  return {
    left: shownText(columns.left, prepared.left, left),
    right: shownText(columns.right, prepared.right, rows[at] ?? 0),
    score: cosines[at] ?? 0,
    alternatives,
  };
}

/** A text as the first row that has it shows it. */
function shownText({ texts }: ReadColumn, { rows, starts }: Side, text: number): string {
  return textAt(texts, rows[starts[text] ?? 0] ?? 0);
}
