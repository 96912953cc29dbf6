import { quoteSheet, rangeName } from '../../model/range.ts';
import { inputsEqual } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import { blockKey, finalMoves, partOfMove, sharedParts } from './final-moves.ts';
import type { Judge, Side } from './judge.ts';
import { hasLines, inputsOf, rangeOf, type Block, type MovedBlock } from './moved-block.ts';

interface States {
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/** The moves that put a block where the chosen side has it. */
export interface SettledMove {
  readonly onBase: MovedBlock;
  /** The side that has it elsewhere, and the move to repeat there; undefined when both agree. */
  readonly elsewhere?: { readonly side: Side; readonly move: MovedBlock };
}

/**
 * Decides about each block that both sides cut. Pasted to the same place, it goes there; else it is
 * a conflict (`range.move`), where the choice `both` leaves it in both places. It also stays in
 * both when the chosen place has lost lines or been written to on the other side.
 */
export function* settleMovedTwice(
  moves: Readonly<Record<Side, readonly MovedBlock[]>>,
  states: States,
  judge: Judge,
): Generator<SettledMove> {
  for (const { ours: own, theirs: other } of sharedBlocks(moves)) {
    if (blockKey(own.to) === blockKey(other.to)) {
      if (hasLines(states.base, own.to)) yield { onBase: own };
      continue;
    }
    const choice = decide(own, other, { states, judge });
    if (choice !== 'ours' && choice !== 'theirs') continue;
    const [winner, loser] = choice === 'ours' ? [own, other] : [other, own];
    const losing: Side = choice === 'ours' ? 'theirs' : 'ours';
    if (!isFree(winner.to, states.base, states[losing])) continue;
    yield {
      onBase: { from: own.from, to: winner.to },
      elsewhere: { side: losing, move: { from: loser.to, to: winner.to } },
    };
  }
}

/** The blocks or parts of blocks that both sides cut, with their place on each side. */
function* sharedBlocks(
  moves: Readonly<Record<Side, readonly MovedBlock[]>>,
): Generator<Readonly<Record<Side, MovedBlock>>> {
  const theirs = finalMoves(moves.theirs);
  for (const ours of finalMoves(moves.ours)) {
    for (const other of theirs) {
      for (const { rows, columns } of sharedParts(ours.from, other.from)) {
        yield {
          ours: partOfMove(ours, rows.own, columns.own),
          theirs: partOfMove(other, rows.other, columns.other),
        };
      }
    }
  }
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

/** Returns a text such as `Plan!F1:F2`; undefined when the block is not contiguous. */
function placeText(block: Block, state: BranchState): string | undefined {
  const sheet = state.structure.withId(block.sheetId);
  const range = rangeOf(block, state);
  return sheet && range && `${quoteSheet(sheet.name)}!${rangeName(range)}`;
}

/** Returns whether a place is free for a block: it is as the base had it. */
function isFree(place: Block, base: BranchState, other: BranchState): boolean {
  if (!hasLines(other, place) || !hasLines(base, place)) return false;
  const [was, is] = [inputsOf(base, place), inputsOf(other, place)];
  return (
    was !== undefined &&
    is !== undefined &&
    is.every((input, at) => inputsEqual(input, was[at] ?? null))
  );
}
