import { quoteSheet, rangeName } from '../../model/range.ts';
import { inputsEqual } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import type { Judge } from './judge.ts';
import { hasLines, inputsOf, rangeOf, type Block, type MovedBlock } from './moved-block.ts';

type Side = 'ours' | 'theirs';

interface States {
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/** The moves that put a block where the side that was chosen has it. */
export interface SettledMove {
  /** The side that has it elsewhere so far. */
  readonly loser: Side;
  readonly onBase: MovedBlock;
  readonly onLoser: MovedBlock;
}

/**
 * Yields a decision about each block that both sides cut to different places: `range.move`, with
 * `both` as the choice that leaves it in both places. A block stays in both where lines of the
 * chosen place are gone on the other side, or that place holds something else there.
 */
export function* settleMovedTwice(
  moves: Readonly<Record<Side, readonly MovedBlock[]>>,
  states: States,
  judge: Judge,
): Generator<SettledMove> {
  const theirs = new Map(finalMoves(moves.theirs).map((move) => [blockKey(move.from), move]));
  for (const own of finalMoves(moves.ours)) {
    const other = theirs.get(blockKey(own.from));
    if (!other || blockKey(own.to) === blockKey(other.to)) continue;
    const choice = decide(own, other, { states, judge });
    if (choice !== 'ours' && choice !== 'theirs') continue;
    const [winner, loser] = choice === 'ours' ? [own, other] : [other, own];
    const losing: Side = choice === 'ours' ? 'theirs' : 'ours';
    if (!isFree(winner.to, states.base, states[losing])) continue;
    yield {
      loser: losing,
      onBase: { from: own.from, to: winner.to },
      onLoser: { from: loser.to, to: winner.to },
    };
  }
}

/** Returns each block that was cut with the place that it came to in the end. */
function finalMoves(moves: readonly MovedBlock[]): MovedBlock[] {
  const found: MovedBlock[] = [];
  for (const move of moves) {
    const before = found.findIndex(({ to }) => blockKey(to) === blockKey(move.from));
    const first = found[before];
    if (first) found[before] = { from: first.from, to: move.to };
    else found.push(move);
  }
  return found.filter(({ from, to }) => blockKey(from) !== blockKey(to));
}

function blockKey({ sheetId, rows, columns }: Block): string {
  return JSON.stringify([sheetId, rows, columns]);
}

interface Deciding {
  readonly states: States;
  readonly judge: Judge;
}

function decide(own: MovedBlock, other: MovedBlock, { states, judge }: Deciding) {
  const { from } = own;
  const sides = {
    base: placeText(from, states.base),
    ours: placeText(own.to, states.ours),
    theirs: placeText(other.to, states.theirs),
  };
  const range = rangeOf(from, states.base);
  const sheet = states.base.structure.withId(from.sheetId);
  return judge.decide({
    kind: 'range.move',
    register: `block ${blockKey(from)}`,
    text: `where ${sides.base ?? 'a block'} was moved to`,
    place: {
      sheetId: from.sheetId,
      ...(range && sheet && { row: sheet.rows.idAt(range.row0) }),
      ...(range && sheet && { column: sheet.columns.idAt(range.column0) }),
    },
    sides: () => sides,
  });
}

/** Returns `Plan!F1:F2`; undefined where the block does not stand together. */
function placeText(block: Block, state: BranchState): string | undefined {
  const sheet = state.structure.withId(block.sheetId);
  const range = rangeOf(block, state);
  return sheet && range && `${quoteSheet(sheet.name)}!${rangeName(range)}`;
}

/** Returns whether a block can be put there: the place is as the base had it. */
function isFree(place: Block, base: BranchState, other: BranchState): boolean {
  if (!hasLines(other, place) || !hasLines(base, place)) return false;
  const [was, is] = [inputsOf(base, place), inputsOf(other, place)];
  return (
    was !== undefined &&
    is !== undefined &&
    is.every((input, at) => inputsEqual(input, was[at] ?? null))
  );
}
