import type { WireInput } from '../../model/input.ts';
import { ShownTexts } from '../../../workers/shown-text.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { readFormats } from '../../state/cells/sheet-formats.ts';
import { formatsOf } from '../../state/plan/plan.ts';
import { runsOf, type RowChoice } from './row-cells.ts';

/** Cells that are formatted before the clock is asked: some tens of microseconds, or one row. */
const cellsAtOnce = 16;

/** Values of rows as texts that a person sees, by the number formats of their cells. */
export function* shownRows(
  state: BranchState,
  choice: RowChoice,
  rows: readonly (readonly WireInput[])[],
): Generator<void, (string | null)[][]> {
  const styles = [...state.looks.styles.entries()].map(([, style]) => style);
  const texts = new ShownTexts(state.settings.get('dateSystem') === 1904, styles);
  const patternOf = patternsOf(state, texts);
  const { extent, columns } = choice;
  const { data, sheet } = extent;
  const places = columns.map(({ line: { branch, sequence, offset } }) => {
    return (sheet.columns.positionOf(branch, sequence, offset) ?? data.column0) - data.column0;
  });
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

function patternsOf({ coding }: BranchState, texts: ShownTexts): (format: number) => string {
  const { styles } = coding.dictionary;
  const known = new Map<number, string>();
  return (format) => {
    const pattern = known.get(format) ?? texts.formatOf(styles.style(format));
    known.set(format, pattern);
    return pattern;
  };
}
