import { readFile } from 'node:fs/promises';

import { findSuitors, noRow, type Candidates } from '../../workers/matching/candidates.ts';
import {
  placeScores,
  placeVerification,
  scoreChunk,
  unverified,
  verifyChunk,
} from '../../workers/matching/chunks.ts';
import { candidatesOf, type MatchRules } from '../../workers/matching/options.ts';
import { prepareMatch } from '../../workers/matching/prepared.ts';
import { packTexts } from '../../workers/matching/shared-arrays.ts';
import { writeRows } from '../../workers/matching/written-rows.ts';

export const defaultRules: MatchRules = {
  hi: 0.95,
  lo: 0.35,
  isVerified: true,
  assignment: 'many-to-one',
  topK: 5,
  minConfidence: 0.35,
  normalise: 'default',
  include: 'all',
  isDedupe: false,
};

const folder = new URL('test/workers/matching/names/', import.meta.resolve('#package.json'));

export async function readNames(file: string): Promise<string[]> {
  const text = await readFile(new URL(file, folder), 'utf8');
  return text.split('\n').slice(0, -1);
}

/** The rows of a match as they are written, made in parts of so many texts. */
export function matchNames(
  { left, right }: { left: readonly string[]; right: readonly string[] },
  rules: MatchRules,
  chunkTexts: number,
): string {
  const [leftTexts, rightTexts] = [packTexts(left), packTexts(right)];
  const prepared = prepareMatch({
    ...rules,
    left: { columns: [leftTexts] },
    right: { columns: [rightTexts] },
  });
  const total = prepared.equal.length;
  const width = candidatesOf(rules);
  const candidates: Candidates = {
    width,
    rows: new Uint32Array(total * width).fill(noRow),
    cosines: new Float64Array(total * width),
  };
  for (let from = 0; from < total; from += chunkTexts) {
    const to = Math.min(total, from + chunkTexts);
    placeScores(candidates, scoreChunk({ prepared, rules, from, to }), from);
  }
  const suitors = findSuitors(candidates, prepared.right.starts.length - 1);
  const verification = {
    confidences: new Uint32Array(total * width).fill(unverified),
    verdicts: new Uint8Array(total * width),
  };
  for (let from = 0; from < total; from += chunkTexts) {
    const to = Math.min(total, from + chunkTexts);
    const bytes = verifyChunk({ prepared, rules, from, to, candidates, suitors });
    placeVerification(verification, bytes, from * width);
  }
  const numbers = (texts: readonly string[]) => packTexts(texts.map((_, row) => String(row)));
  const { blocks } = writeRows({
    prepared,
    rules,
    candidates,
    verification,
    matchId: 'mat_0',
    left: { texts: leftTexts, keys: numbers(left) },
    right: { texts: rightTexts, keys: numbers(right) },
  });
  return Buffer.concat(blocks).toString('utf8');
}
