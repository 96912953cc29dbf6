import { lineText } from '../structure/area.ts';
import type { LineId } from '../ids/order.ts';
import { sameLine } from '../structure/tables.ts';
import type { Side } from './judge.ts';
import type { KeyedRow } from './keyed-rows.ts';
import { relocateRows, unknownLines } from './row-lines.ts';
import type { AlignedSides } from './parts.ts';
import { positionIn, rowContents, tableIn, type Relocation } from './relocation.ts';
import type { Twin } from './twin-rows.ts';

interface PlacedTwins {
  readonly tableId: string;
  readonly twins: readonly Twin[];
  /** All new rows of theirs; those on lines that ours uses will be moved away. */
  readonly leaving: readonly KeyedRow[];
}

/**
 * Finds one line for each two rows with the same key: the line of ours if theirs did not delete or
 * use it, else the line of theirs under the same condition, else a new one. So nothing is
 * overwritten, and both directions meet the same conflicts. Moves the rows of ours; returns where
 * those of theirs go.
 */
export function* placeTwins(
  sides: AlignedSides,
  { tableId, twins, leaving }: PlacedTwins,
): Generator<void, Relocation[]> {
  const isFreeInOurs = freeLines(sides, { tableId, side: 'ours', leaving: [] });
  const isFreeInTheirs = freeLines(sides, { tableId, side: 'theirs', leaving });
  const ofOurs: Relocation[] = [];
  const ofTheirs: Relocation[] = [];
  const apart: Twin[] = [];
  for (const twin of twins) {
    const [ours, theirs] = [twin.ours.id, twin.theirs.id];
    if (sameLine(ours, theirs)) continue;
    if (isFreeInTheirs(ours)) ofTheirs.push({ from: theirs, to: ours });
    else if (isFreeInOurs(theirs)) ofOurs.push({ from: ours, to: theirs });
    else apart.push(twin);
  }
  for (const [at, to] of unknownLines(sides, tableId, apart.length).entries()) {
    const twin = apart[at];
    if (!twin) continue;
    ofOurs.push({ from: twin.ours.id, to });
    ofTheirs.push({ from: twin.theirs.id, to });
  }
  yield* relocateRows(sides.ours, { tableId, known: sides.theirs.state }, ofOurs);
  return ofTheirs;
}

interface Lines {
  readonly tableId: string;
  readonly side: Side;
  readonly leaving: readonly KeyedRow[];
}

/** Returns a function that tells whether a side has nothing of its own on a line. */
function freeLines(
  { base, ...sides }: AlignedSides,
  { tableId, side, leaving }: Lines,
): (line: LineId) => boolean {
  const was = base.state.structure.withId(tableIn(base.state, tableId).sheetId);
  const contentOf = rowContents(sides[side].state, { tableId, known: base.state });
  const left = new Set(leaving.map(({ id }) => lineText(id)));
  return (row) => {
    if (!was || positionIn(was, 'row', row) === undefined) return true;
    const content = contentOf(row);
    return content !== undefined && (left.has(lineText(row)) || content !== 'filled');
  };
}
