import { quoteSheet, rangeName } from '../../model/range.ts';
import { inputsEqual } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import { flatten, type FlatSpans } from '../plan/resolved.ts';
import type { Judge } from './judge.ts';
import { hasLines, inputsOf, rangeOf, type Block, type MovedBlock } from './moved-block.ts';
import { readSpans } from './restoration.ts';

type Side = 'ours' | 'theirs';

interface States {
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/** The moves that put a block where the side that was chosen has it. */
export interface SettledMove {
  readonly onBase: MovedBlock;
  /** The side that has it elsewhere so far, and the move there; undefined where both agree. */
  readonly elsewhere?: { readonly side: Side; readonly move: MovedBlock };
}

/**
 * Yields a decision about each block that both sides cut: it is where both put it, and of different
 * places the judge says which, `range.move`, with `both` as the choice that leaves it in both. A
 * block stays in both where lines of the chosen place are gone on the other side, or that place
 * holds something else there.
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

/** The blocks, or parts of them, that both sides cut, each with where that side has it. */
function* sharedBlocks(
  moves: Readonly<Record<Side, readonly MovedBlock[]>>,
): Generator<Readonly<Record<Side, MovedBlock>>> {
  const theirs = finalMoves(moves.theirs);
  for (const ours of finalMoves(moves.ours)) {
    for (const other of theirs) {
      const shared = ours.from.sheetId === other.from.sheetId && sharedPart(ours.from, other.from);
      if (!shared) continue;
      const { rows, columns } = shared;
      yield {
        ours: partOfMove(ours, rows[0], columns[0]),
        theirs: partOfMove(other, rows[1], columns[1]),
      };
    }
  }
}

/** Stretches of lines of two lists, by their places in each, that are the same lines. */
type SharedLines = readonly [own: Stretch, other: Stretch];

interface Stretch {
  readonly at: number;
  readonly count: number;
}

function sharedPart(a: Block, b: Block) {
  const rows = sharedLines(a.rows, b.rows);
  const columns = rows && sharedLines(a.columns, b.columns);
  return rows && columns && { rows, columns };
}

/** Undefined where two lists share no lines, or share them in pieces. */
function sharedLines(a: FlatSpans, b: FlatSpans): SharedLines | undefined {
  const shared = stretchesOf(a).flatMap((own) =>
    stretchesOf(b).flatMap((other) => {
      const isOneRun = own.branch === other.branch && own.sequence === other.sequence;
      const from = Math.max(own.offset, other.offset);
      const to = Math.min(own.offset + own.length, other.offset + other.length);
      if (!isOneRun || from >= to) return [];
      const [first, second] = [own, other].map(({ at, offset }) => at + from - offset);
      return [{ first: first ?? 0, second: second ?? 0, count: to - from }];
    }),
  );
  const [start] = shared;
  if (!start) return undefined;
  let next = 0;
  for (const { first, second, count } of shared) {
    if (first !== start.first + next || second !== start.second + next) return undefined;
    next += count;
  }
  return [
    { at: start.first, count: next },
    { at: start.second, count: next },
  ];
}

/** The spans of a list, each with its place in it. */
function stretchesOf(flat: FlatSpans) {
  let next = 0;
  return readSpans(flat).map((span) => {
    const at = next;
    next += span.length;
    return { ...span, at };
  });
}

function partOfMove({ from, to }: MovedBlock, rows: Stretch, columns: Stretch): MovedBlock {
  const part = (block: Block): Block => ({
    sheetId: block.sheetId,
    rows: partOfLines(block.rows, rows),
    columns: partOfLines(block.columns, columns),
  });
  return { from: part(from), to: part(to) };
}

function partOfLines(flat: FlatSpans, { at, count }: Stretch): FlatSpans {
  return flatten(
    stretchesOf(flat).flatMap((span) => {
      const first = Math.max(span.at, at);
      const end = Math.min(span.at + span.length, at + count);
      if (first >= end) return [];
      const { branch, sequence } = span;
      return [{ branch, sequence, offset: span.offset + first - span.at, length: end - first }];
    }),
  );
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
