import { Failure, type FieldError } from '../model/failure.ts';
import type { Assignment } from '../../workers/matching/options.ts';

/** An accepted pair, by the keys of its rows as JSON. */
export interface AcceptedPair {
  readonly left: string;
  readonly right: string;
}

/** A row with more accepted pairs than its match allows. */
export interface TakenRow {
  readonly side: 'left' | 'right';
  readonly pairs: readonly AcceptedPair[];
}

const namedPairs = 5;

/** Returns the rows that have several pairs, where the assignment gives them one. */
export function takenRows(pairs: readonly AcceptedPair[], assignment: Assignment): TakenRow[] {
  if (assignment === 'many-to-many') return [];
  const left = severalBy(pairs, 'left');
  return assignment === 'one-to-one' ? [...left, ...severalBy(pairs, 'right')] : left;
}

function severalBy(pairs: readonly AcceptedPair[], side: TakenRow['side']): TakenRow[] {
  const byKey = new Map<string, AcceptedPair[]>();
  for (const pair of pairs) {
    const own = byKey.get(pair[side]);
    if (own) own.push(pair);
    else byKey.set(pair[side], [pair]);
  }
  return [...byKey.values()]
    .filter(({ length }) => length > 1)
    .map((own) => ({ side, pairs: own }));
}

/** Says which pairs of which row exclude each other, and what to send. */
export function pairTaken(
  taken: readonly TakenRow[],
  { assignment, pointerOf }: { assignment: Assignment; pointerOf: (row: TakenRow) => string },
): Failure {
  const [first] = taken;
  const named = first?.pairs.slice(0, namedPairs).map(({ left, right }) => `${left} = ${right}`);
  const example = first?.pairs.at(-1);
  const decision = `{"leftKey":${example?.left},"rightKey":${example?.right},"decision":"reject"}`;
  return new Failure('pairTaken', {
    detail: `${assignment} gives a ${first?.side} row one pair, and ${named?.join(', ')} are all accepted; ${taken.length} rows are like that.`,
    hint: `Reject all but one of them: PATCH …/rows {"decisions":[${decision}]}, or match with {"opts":{"assignment":"many-to-many"}}.`,
    errors: taken.slice(0, 20).map((row): FieldError => ({
      pointer: pointerOf(row),
      code: 'pair_taken',
      message: row.pairs.map(({ left, right }) => `${left} = ${right}`).join(', '),
    })),
  });
}
