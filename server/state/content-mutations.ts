import type { Input } from '../model/cell-value.ts';
import { rowLimit } from '../model/address.ts';
import type { Mutation } from '../model/mutation.ts';
import { cellTag, type Block } from './cells/block.ts';
import type { BranchState } from './branch-state.ts';
import type { CellPlace } from './cells/cell-coding.ts';
import { fillsEvenly } from './formulas/formula-text.ts';
import { mergedAreas } from './operations/merged-areas.ts';
import type { LineId } from './ids/order.ts';
import { hiddenRows } from './records/row-visibility.ts';
import type { Stretch } from './cells/sheet-cells.ts';
import type { SheetOutline } from './structure/structure.ts';

/** Cells of one mutation, at most, so that the receiver can pause in between. */
const cellsMost = 1_024;

/** Yields the mutations that build a kernel model of a state from its content. */
export function* contentMutations(state: BranchState): Generator<Mutation> {
  const { structure } = state;
  for (const [index, { key, name }] of structure.sheets.entries()) {
    yield { kind: 'sheetAdd', sheet: key, name, index };
  }
  yield* state.settings.mutations();
  yield* state.tables.mutations(structure);
  for (const { name, scope, formula } of state.eachName()) {
    const key = scope === null ? undefined : structure.withId(scope)?.key;
    yield { kind: 'nameSet', name, scope: key, formula };
  }
  for (const sheet of structure.sheets) yield* sheetMutations(state, sheet);
}

function* sheetMutations(state: BranchState, sheet: SheetOutline): Generator<Mutation> {
  yield* hiddenRows(sheet, state);
  yield* mergedAreas(sheet, state.records);
  const cells = state.cellsOf(sheet);
  const bottom = state.used(sheet)?.row1 ?? -1;
  const rows = sheet.rows.spansAt(0, Math.min(rowLimit, bottom + 1));
  for (const id of cells.columnIds()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column === undefined) continue;
    for (const stretch of cells.stretches(rows, id)) {
      yield* new StretchReader(state, sheet, { id, position: column }).read(stretch);
    }
  }
}

interface Column {
  readonly id: LineId;
  readonly position: number;
}

class StretchReader {
  readonly #state: BranchState;
  readonly #sheet: SheetOutline;
  readonly #column: Column;
  /** Contiguous constants that will become one mutation. */
  #inputs: Input[] = [];

  constructor(state: BranchState, sheet: SheetOutline, column: Column) {
    this.#state = state;
    this.#sheet = sheet;
    this.#column = column;
  }

  *read({ block, from, to, skipped }: Stretch): Generator<Mutation> {
    const { coding } = this.#state;
    const { low, tags, numbers } = block.lanes;
    for (let lane = from; lane < to;) {
      const row = skipped + lane - from;
      const tag = tags[lane - low] ?? cellTag.blank;
      const number = numbers[lane - low] ?? 0;
      if (tag === cellTag.formula) {
        yield* this.#flush(row);
        const end = runEnd(block, lane, to);
        yield* this.#formulas(block, { lane, end, row });
        lane = end;
        continue;
      }
      if (tag === cellTag.blank) yield* this.#flush(row);
      else this.#inputs.push(tag === cellTag.number ? number : coding.constant({ tag, number }));
      if (this.#inputs.length >= cellsMost) yield* this.#flush(row + 1);
      lane++;
    }
    yield* this.#flush(skipped + to - from);
  }

  /** Yields the collected inputs, which end in front of `row`. */
  *#flush(row: number): Generator<Mutation> {
    const inputs = this.#inputs;
    if (inputs.length === 0) return;
    const { key: sheet } = this.#sheet;
    const column = this.#column.position;
    yield { kind: 'column', sheet, row: row - inputs.length, column, inputs };
    this.#inputs = [];
  }

  #inputAt(block: Block, lane: number): Input {
    const coded = { tag: block.tagAt(lane), number: block.numberAt(lane) };
    return this.#state.coding.decode(coded, this.#placeOf(block, lane), this.#state.structure);
  }

  #placeOf({ branch, sequence, index }: Block, lane: number): CellPlace {
    const row = { branch, sequence, offset: index * 1_024 + lane };
    return { sheetId: this.#sheet.id, row, column: this.#column.id };
  }

  *#formulas(
    block: Block,
    { lane, end, row }: { lane: number; end: number; row: number },
  ): Generator<Mutation> {
    const at = { sheet: this.#sheet.key, column: this.#column.position };
    const input = this.#inputAt(block, lane);
    const rowCount = end - lane;
    if (rowCount > 1 && this.#isFill(block, lane, rowCount)) {
      yield { kind: 'fill', ...at, row, rowCount, columnCount: 1, input };
      return;
    }
    yield { kind: 'cell', ...at, row, input };
    for (let next = lane + 1; next < end; next++) {
      yield { kind: 'cell', ...at, row: row + next - lane, input: this.#inputAt(block, next) };
    }
  }

  /** Returns whether filling down the first formula gives all the others at the head. */
  #isFill(block: Block, lane: number, rowCount: number): boolean {
    const { coding, structure: to } = this.#state;
    const { r1c1, structure: from, array } = coding.dictionary.formula(block.numberAt(lane));
    if (array) return false;
    if (from.sheets === to.sheets) return true;
    const { row: rowId, column: columnId, sheetId } = this.#placeOf(block, lane);
    const written = from.withId(sheetId);
    const row = written?.rows.positionOf(rowId.branch, rowId.sequence, rowId.offset);
    const column = written?.columns.positionOf(columnId.branch, columnId.sequence, columnId.offset);
    if (!written || row === undefined || column === undefined) return false;
    const last = written.rows.positionOf(rowId.branch, rowId.sequence, rowId.offset + rowCount - 1);
    if (last !== row + rowCount - 1) return false;
    const references = coding.formulas.references(coding.formulas.fromR1C1(r1c1, row, column));
    const shape = { row, column, rowCount, columnCount: 1 };
    return fillsEvenly(references, shape, { from, to, sheetId });
  }
}

/** Returns the end of a run of lanes with the same stored formula. */
function runEnd(block: Block, lane: number, to: number): number {
  const formula = block.numberAt(lane);
  let end = lane + 1;
  while (end < to && block.tagAt(end) === cellTag.formula && block.numberAt(end) === formula) end++;
  return end;
}
