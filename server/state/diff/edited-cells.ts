import { blockLanes } from '../cells/block.ts';
import type { BlockPlace } from '../cells/held-block.ts';
import { blockOf } from '../compare/same-lanes.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { changedNames } from './changed-names.ts';
import { isLaneChanged } from './changed-runs.ts';
import { FormulaSameness } from './formula-sameness.ts';
import { BlockRows, columnPosition, type LanePositions } from './lane-positions.ts';
import { RenamedNames } from './renamed-names.ts';
import type { ComparedBlock } from './run-list.ts';
import type { Sides } from './sides.ts';

/** Tells of single cells of a state whether they hold something else than in an earlier one. */
export class EditedCells {
  readonly #sides: Sides;
  readonly #sheets = new Map<string, EditedSheet>();
  #renamed: RenamedNames | undefined;

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  /** `at` is where the cell stands in the later state. */
  isEdited(sheetId: string, at: { readonly row: number; readonly column: number }): boolean {
    let sheet = this.#sheets.get(sheetId);
    if (!sheet) {
      const { from, to } = this.#sides;
      const is = to.structure.withId(sheetId);
      if (!is) return false;
      this.#renamed ??= new RenamedNames(from, changedNames(this.#sides));
      const was = from.structure.withId(sheetId);
      sheet = new EditedSheet(this.#sides, { was, is }, this.#renamed);
      this.#sheets.set(sheetId, sheet);
    }
    return sheet.isEdited(at);
  }
}

interface Outlines {
  readonly was: SheetOutline | undefined;
  readonly is: SheetOutline;
}

/** A block on both sides, and where its lanes stand. */
interface FoundBlock {
  readonly block: ComparedBlock;
  readonly positions: Readonly<Record<'from' | 'to', LanePositions>>;
}

class EditedSheet {
  readonly #outlines: Outlines;
  readonly #rows: Readonly<Record<'from' | 'to', BlockRows>>;
  readonly #cells: Readonly<Record<'from' | 'to', Parameters<typeof blockOf>[0]>>;
  readonly #sameness: FormulaSameness;
  readonly #known = new Map<string, FoundBlock>();

  constructor(sides: Sides, outlines: Outlines, renamed: RenamedNames) {
    const { was, is } = outlines;
    this.#outlines = outlines;
    this.#rows = { from: new BlockRows(was), to: new BlockRows(is) };
    this.#cells = { from: was && sides.from.cellsOf(was), to: sides.to.cellsOf(is) };
    this.#sameness = new FormulaSameness(sides, is, renamed);
  }

  isEdited({ row, column }: { readonly row: number; readonly column: number }): boolean {
    const { rows, columns } = this.#outlines.is;
    const { branch, sequence, offset } = rows.idAt(row);
    const [index, lane] = [Math.floor(offset / blockLanes), offset % blockLanes];
    const place = { branch, sequence, index };
    const { block, positions } = this.#blockAt(place, columns.idAt(column));
    return isLaneChanged(block, positions, { lane, sameness: this.#sameness });
  }

  #blockAt(place: BlockPlace, columnId: LineId): FoundBlock {
    const rows = `${place.branch}.${place.sequence}.${place.index}`;
    const key = `${rows} ${columnId.branch}.${columnId.sequence}.${columnId.offset}`;
    const known = this.#known.get(key);
    if (known) return known;
    const { was, is } = this.#outlines;
    const block = {
      columnId,
      place,
      fromColumn: columnPosition(columnId, was),
      toColumn: columnPosition(columnId, is),
      from: blockOf(this.#cells.from, place, columnId),
      to: blockOf(this.#cells.to, place, columnId),
    };
    const positions = { from: this.#rows.from.of(place), to: this.#rows.to.of(place) };
    const found = { block, positions };
    this.#known.set(key, found);
    return found;
  }
}
