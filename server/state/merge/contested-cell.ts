import { cellName } from '../../model/address.ts';
import { writeInput } from '../../model/input.ts';
import { cellTag } from '../cells/block.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import type { Sides } from '../compare/merged-members.ts';
import { inputOf, type StatedCell } from '../compare/same-lanes.ts';
import { lineText } from '../structure/area.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { Choice } from './judge.ts';
import { stateOf, type Merging } from './merging.ts';
import { tablePlace, type TablePlace } from './table-place.ts';

/** A cell that both sides wrote to. */
export interface ContestedCell extends Sides<StatedCell> {
  readonly sheet: SheetOutline;
  readonly place: CellPlace;
  readonly at: { readonly row: number; readonly column: number };
}

export function placeText({ sheetId, row, column }: CellPlace): string {
  return `${sheetId} ${lineText(row)} ${lineText(column)}`;
}

/**
 * Asks the judge about a cell. `change` is the cell that theirs wrote, when that is an array which
 * overlaps this one.
 */
export function choiceOf(
  merging: Merging,
  { sheet, place, at, base, ours, theirs }: ContestedCell,
  change?: CellPlace,
): Choice {
  merging.chosen.add(placeText(place));
  const isFormula = [ours, theirs].every((side) => side.cell.tag === cellTag.formula);
  const held = (side: StatedCell) => {
    const input = inputOf(side, place);
    return input === null ? undefined : writeInput(input);
  };
  const inTable = tablePlace(ours.state, place) ?? tablePlace(theirs.state, place);
  return merging.judge.decide({
    kind: inTable ? 'tablerow.cell' : isFormula ? 'cell.formula' : 'cell.value',
    register: `cell ${place.sheetId} ${rowText(merging, { ...place, ...inTable })} ${lineText(place.column)}`,
    text: `${sheet.name}!${cellName(at.row, at.column)}`,
    place: { ...place, ...inTable },
    ...(change && { change: { ...change, ...tablePlace(theirs.state, change) } }),
    sides: () => ({ base: held(base), ours: held(ours), theirs: held(theirs) }),
  });
}

/**
 * Names the row in the register of a conflict. A row that the merge itself created is named by its
 * key, because its line id would differ between the two directions of the same merge.
 */
function rowText(merging: Merging, { row, tableId, key }: CellPlace & TablePlace): string {
  const { branchNo, head } = stateOf(merging);
  const isOwn = tableId !== undefined && row.branch === branchNo && row.sequence === head;
  return isOwn ? `${tableId} ${JSON.stringify(key)}` : lineText(row);
}

/**
 * Returns whether a choice takes theirs. `combine` takes the side that is not blank, else the side
 * it names.
 */
export function isTheirs(
  choice: Choice,
  { ours, theirs }: Pick<ContestedCell, 'ours' | 'theirs'>,
): boolean {
  if (typeof choice !== 'object' || !('combine' in choice)) return choice === 'theirs';
  const [isOursBlank, isTheirsBlank] = [ours, theirs].map(({ cell }) => cell.tag === cellTag.blank);
  if (isOursBlank !== isTheirsBlank) return isOursBlank === true;
  return choice.combine === 'theirs';
}
