import type { WireInput } from '../../model/input.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { readFormats } from '../../state/cells/sheet-formats.ts';
import { formatsOf } from '../../state/plan/plan.ts';
import { cellsAtOnce, shownTextsOf } from '../../values/shown-slices.ts';
import { columnPlaces, runsOf, type RowChoice } from './row-cells.ts';

/** Formats the values of rows by the number formats of their cells. */
export function* shownRows(
  state: BranchState,
  choice: RowChoice,
  rows: readonly (readonly WireInput[])[],
): Generator<void, (string | null)[][]> {
  const { texts, patternOf } = shownTextsOf(state);
  const places = columnPlaces(choice);
  const shown: (string | null)[][] = [];
  let cellCount = 0;
  for (const [row, formats] of rowFormats(state, choice)) {
    shown.push(
      places.map((place, at) =>
        texts.show(rows[row]?.[at] ?? null, patternOf(formats[place] ?? 0)),
      ),
    );
    cellCount += places.length;
    if (cellCount < cellsAtOnce) continue;
    cellCount = 0;
    yield;
  }
  return shown;
}

/** Yields the formats of each row, over all columns of the table. */
function* rowFormats(
  state: BranchState,
  choice: RowChoice,
): Generator<readonly [row: number, formats: Uint16Array]> {
  const { sheet, data } = choice.extent;
  const width = data.column1 - data.column0 + 1;
  let row = 0;
  for (const area of runsOf(choice)) {
    const formats = readFormats(formatsOf(state, sheet), area);
    for (let at = 0; at < formats.length; at += width) {
      yield [row++, formats.subarray(at, at + width)];
    }
  }
}
