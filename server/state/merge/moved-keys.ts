import { lineText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import { sameCells } from '../compare/same-lanes.ts';
import { compareIds } from '../ids/id-span.ts';
import type { LineId } from '../ids/order.ts';
import { keyColumnOf, sheetOfTable } from '../structure/tables.ts';
import { deleteKeys } from './deleted-keys.ts';
import type { Side } from './judge.ts';
import { keyChanges, type KeyChanges, type MovedKey } from './keyed-rows.ts';
import type { OperationParts } from './parts.ts';
import {
  fitRows,
  freshLines,
  positionIn,
  relocate,
  relocated,
  rowContents,
  tableIn,
  type AlignedSides,
  type Relocation,
} from './relocation.ts';
import type { Scope } from './scope.ts';

const sideNames = ['ours', 'theirs'] as const;

/**
 * Follows keys that one side moved to other lines, by shifting or sorting cells of a table with
 * other cells beside it: the rows are moved likewise in the base and on the other side, so that a
 * change stays with its key. Rows that both sides sorted stay, and become conflicts.
 */
export function* followKeys(
  sides: AlignedSides,
  tableId: string,
  scope: Scope | undefined,
): Generator<void, void> {
  const all = sideNames.map((side) => movesOf(sides, side, tableId));
  if (all.every(({ moved }) => moved.length === 0)) return;
  if (all.every(({ moved }) => !isShift(sides.base.state, tableId, moved))) return;
  const followed = sideNames
    .filter((side) => side === 'ours' || isTaken(sides, tableId, scope))
    .sort((a, b) => compareTargets(movesOf(sides, a, tableId), movesOf(sides, b, tableId)));
  for (const side of followed) {
    if (movesOf(sides, side, tableId).moved.length > 0) yield* deleteKeys(sides, tableId, side);
  }
  for (const side of followed) {
    // Computed anew: following the first side may have moved rows of the second.
    const moves = movesOf(sides, side, tableId);
    if (moves.moved.length > 0) yield* follow(sides, { tableId, side }, moves);
  }
}

/**
 * Sorts the sides the same way in both directions of a merge; where both moved a key, the later
 * wins.
 */
function compareTargets({ moved: [a] }: KeyChanges, { moved: [b] }: KeyChanges): number {
  return a && b ? compareIds(a.to, b.to) : 0;
}

/** Returns whether all changes that theirs made to the keys are in the scope. */
function isTaken(sides: AlignedSides, tableId: string, scope: Scope | undefined): boolean {
  if (!scope) return true;
  const table = tableIn(sides.theirs.state, tableId);
  const { sheetId } = table;
  const column = keyColumnOf(table)?.line;
  const { moved, gone } = keyChanges(sides.theirs.state, sides.base.state, tableId);
  const rows = [...gone, ...moved.flatMap(({ from, to }) => [from, to])];
  return rows.every((row) =>
    scope({ kind: 'cell.input', place: { sheetId, row, ...(column && { column }) } }),
  );
}

/**
 * Returns the changes of keys on one side. There are no moves to follow when the other side did not
 * change the sheet. A moved key that the other side has on both lines counts as gone from the old
 * line, not as moved.
 */
function movesOf(sides: AlignedSides, side: Side, tableId: string): KeyChanges {
  const base = sides.base.state;
  const changes = keyChanges(sides[side].state, base, tableId);
  if (changes.moved.length === 0) return changes;
  const other = sides[otherThan(side)].state;
  if (isUntouched(other, base, tableId)) return { ...changes, moved: [] };
  const others = keyChanges(other, base, tableId);
  const left = new Set([...others.gone, ...others.moved.map(({ from }) => from)].map(lineText));
  const added = new Set(others.added.map(({ id, key }) => `${lineText(id)} ${key}`));
  const isTwice = ({ from, to, key }: MovedKey) =>
    !left.has(lineText(from)) && added.has(`${lineText(to)} ${key}`);
  const twice = changes.moved.filter(isTwice);
  if (twice.length === 0) return changes;
  return {
    ...changes,
    moved: changes.moved.filter((move) => !twice.includes(move)),
    gone: [...changes.gone, ...twice.map(({ from }) => from)],
  };
}

function otherThan(side: Side): Side {
  return side === 'ours' ? 'theirs' : 'ours';
}

/**
 * Returns whether a side left the sheet of a table as it was, by content: states read from storage
 * do not know which cells were written.
 */
function isUntouched(state: BranchState, base: BranchState, tableId: string): boolean {
  const [own, was] = [state, base].map((one) => ({
    state: one,
    sheet: sheetOfTable(tableIn(one, tableId), one.structure),
  }));
  return !own || !was || sameCells(own, was);
}

/** Returns whether moved keys keep their order, as after a shift and unlike after a sort. */
function isShift(base: BranchState, tableId: string, moved: readonly MovedKey[]): boolean {
  const sheet = sheetOfTable(tableIn(base, tableId), base.structure);
  const at = (line: LineId) => positionIn(sheet, 'row', line);
  const places = moved
    .map(({ from, to }) => ({ from: at(from) ?? 0, to: at(to) }))
    .toSorted((a, b) => a.from - b.from)
    .flatMap(({ to }) => to ?? []);
  return places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
}

function* follow(
  sides: AlignedSides,
  { tableId, side }: { readonly tableId: string; readonly side: Side },
  { moved, gone: unkeyed }: KeyChanges,
): Generator<void, void> {
  const { base } = sides;
  const other = sides[otherThan(side)];
  const known = base.state;
  const targets = new Set(moved.map(({ to }) => lineText(to)));
  const displaced = unkeyed.filter((line) => targets.has(lineText(line)));
  const gone = relocated(displaced, unknownLines(sides, tableId, displaced.length));
  const relocations = [...moved, ...gone];
  // The other side may have moved the same keys to the same lines.
  const alike = new Set(keyChanges(other.state, base.state, tableId).moved.map(moveText));
  yield* relocateRows(base, { tableId, known }, relocations);
  const open = relocations.filter((move) => !alike.has(moveText(move)));
  const contentOf = rowContents(other.state, { tableId });
  // A row that is blank or gone on the other side was deleted, and must not overwrite its target.
  const moving = open.filter(({ from }) => (contentOf(from) ?? 'blank') !== 'blank');
  const taken = takenLines(contentOf, moving);
  const apart = relocated(taken, unknownLines(sides, tableId, taken.length));
  yield* relocateRows(other, { tableId, known }, [...moving, ...apart]);
}

function moveText({ from, to }: Relocation): string {
  return `${lineText(from)} ${lineText(to)}`;
}

export function* relocateRows(
  parts: OperationParts,
  { tableId, known }: { readonly tableId: string; readonly known: BranchState },
  relocations: readonly Relocation[],
): Generator<void, void> {
  yield* relocate(parts, { tableId, axis: 'row', known }, relocations);
  yield* fitRows(parts, tableId, relocations);
}

/** Targets that hold a row which is not itself moved. */
function takenLines(
  contentOf: ReturnType<typeof rowContents>,
  relocations: readonly Relocation[],
): LineId[] {
  const leaving = new Set(relocations.map(({ from }) => lineText(from)));
  return relocations.flatMap(({ to }) =>
    !leaving.has(lineText(to)) && contentOf(to) === 'filled' ? [to] : [],
  );
}

/** Returns ids for lines that none of the three states has. */
export function unknownLines(sides: AlignedSides, tableId: string, count: number): LineId[] {
  const orders = [sides.base, sides.ours, sides.theirs].map(({ state }) => {
    return sheetOfTable(tableIn(state, tableId), state.structure).rows;
  });
  return freshLines(sides.ours.state, orders, count);
}
