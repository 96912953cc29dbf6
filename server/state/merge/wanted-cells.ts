import { cellName } from '../../model/address.ts';
import { formulaOf, writeInput, type WireInput } from '../../model/input.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import { cellCount, columnCount, rangeName, rowCount, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { cellTag } from '../cells/block.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { carriedInput } from '../compare/same-lanes.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { OperationPart } from './parts.ts';
import { rectanglesOf, segmentsOf, type Segment } from '../compare/rectangles.ts';
import { Carrier } from '../carrier.ts';
import { placeAt, type Spot } from './side-cells.ts';

/** Equal cells that are worth a `range.fill` of their own. */
const filledLeast = 32;
/** Cells of a rectangle that are worth a `range.set` of their own. */
const blockLeast = 4;
const cellsPerPart = 2_000;
/** Runs between two pauses. */
const runsBetweenPauses = 64;
const rectanglesBetweenPauses = 512;

interface WantedSheet {
  readonly sheet: SheetOutline;
  /** Wanted contents by column and row. */
  readonly columns: Map<number, Map<number, CodedCell>>;
}

/** The wanted content of a cell; equal contents are one object, so runs are found by identity. */
type Content =
  | { readonly kind: 'blank' }
  | { readonly kind: 'constant'; readonly wire: WireInput }
  /** Index in the dictionary, of a formula in the addresses of the merged state. */
  | { readonly kind: 'formula'; readonly index: number };

const blank: Content = { kind: 'blank' };

/** A cell as operations write it; array formulas cannot stand in a `range.set`. */
interface PlainCell {
  readonly wire: WireInput;
  readonly array?: string | undefined;
  readonly legacy?: true | undefined;
}

/** Collects the contents that cells shall get, and writes them as few operations. */
export class WantedCells {
  readonly #theirs: BranchState;
  readonly #state: BranchState;
  /** Undefined until it is needed. */
  #isRearranged: boolean | undefined;
  readonly #runs: FormulaRuns;
  readonly #carrier: Carrier;
  readonly #sheets = new Map<string, WantedSheet>();
  readonly #written = new Map<string, { a1: string; input: WireInput }[]>();
  readonly #constants = new Map<string, Content>();
  readonly #formulas = new Map<number, Content>();
  /** Cells whose new formula has `#REF!` in its text. */
  readonly mute: CellPlace[] = [];
  #spelledCount = 0;
  #characterCount = 0;
  #runCount = 0;

  /** Takes contents of `theirs`, and carries their formulas to the addresses of `state`. */
  constructor(theirs: BranchState, state: BranchState) {
    this.#theirs = theirs;
    this.#state = state;
    this.#runs = new FormulaRuns(state.coding, state.structure);
    this.#carrier = new Carrier(theirs, state);
  }

  add(sheet: SheetOutline, { row, column }: Spot, cell: CodedCell): void {
    const known = this.#sheets.get(sheet.id);
    const wanted = known ?? { sheet, columns: new Map<number, Map<number, CodedCell>>() };
    if (!known) this.#sheets.set(sheet.id, wanted);
    const rows = wanted.columns.get(column);
    if (rows) rows.set(row, cell);
    else wanted.columns.set(column, new Map([[row, cell]]));
  }

  /** An input that no side has. */
  write({ id }: SheetOutline, { row, column }: Spot, input: WireInput) {
    const cells = this.#written.get(id) ?? [];
    this.#written.set(id, cells);
    cells.push({ a1: cellName(row, column), input });
  }

  has({ id }: SheetOutline, { row, column }: Spot): boolean {
    return this.#sheets.get(id)?.columns.get(column)?.has(row) === true;
  }

  *parts(): Generator<void, OperationPart[]> {
    const parts: OperationPart[] = [];
    for (const { sheet, columns } of this.#sheets.values()) {
      const segments: Segment<Content>[] = [];
      for (const [column, cells] of [...columns].sort(([a], [b]) => a - b)) {
        const contents = yield* this.#contents(sheet, column, cells);
        yield;
        for (const segment of segmentsOf(column, contents)) segments.push(segment);
        yield;
      }
      for (const part of yield* this.#sheetParts(sheet, segments)) parts.push(part);
    }
    for (const [sheet, written] of this.#written) {
      for (let at = 0; at < written.length; at += cellsPerPart) {
        const cells = written.slice(at, at + cellsPerPart);
        parts.push({ kind: 'cells.set', payload: { sheet, cells } });
      }
    }
    return parts;
  }

  *#contents(
    sheet: SheetOutline,
    column: number,
    cells: ReadonlyMap<number, CodedCell>,
  ): Generator<void, Map<number, Content>> {
    const contents = new Map<number, Content>();
    const formulas = new Map<number, number>();
    for (const [row, cell] of cells) {
      if (cell.tag === cellTag.formula) formulas.set(row, cell.number);
      else contents.set(row, this.#constant(cell));
    }
    for (const { row, count, key: index } of segmentsOf(column, formulas)) {
      if (this.#isWrittenElsewhere(index)) {
        for (let at = row; at < row + count; at++) {
          contents.set(at, this.#carried(sheet, { row: at, column }, index));
        }
        continue;
      }
      for (const run of this.#runs.atHead({ sheet, row, column, count, index })) {
        for (let at = 0; at < run.count; at++) contents.set(run.row + at, this.#formula(run.index));
      }
      if (++this.#runCount % runsBetweenPauses === 0) yield;
    }
    return contents;
  }

  /**
   * Returns whether a formula must be converted through the addresses of theirs: it was stored
   * under an older structure, and theirs and the merged state have different lines between the ends
   * of ranges.
   */
  #isWrittenElsewhere(index: number): boolean {
    const { structure } = this.#theirs;
    if (this.#runs.stored(index).structure.sheets === structure.sheets) return false;
    this.#isRearranged ??= structure.digest !== this.#runs.head.digest;
    return this.#isRearranged;
  }

  #carried(sheet: SheetOutline, at: Spot, index: number): Content {
    const cell = { tag: cellTag.formula, number: index };
    const side = { cell, state: this.#theirs };
    const input = carriedInput(side, this.#state, placeAt(sheet, at));
    return this.#formula(this.#state.coding.encode(input, at, this.#runs.head).number);
  }

  /** Returns the same object for the same content. */
  #constant(cell: CodedCell): Content {
    if (cell.tag === cellTag.blank) return blank;
    const key = `${cell.tag} ${cell.number}`;
    const known = this.#constants.get(key);
    const content = known ?? {
      kind: 'constant',
      wire: writeInput(this.#theirs.coding.constant(cell)),
    };
    if (!known) this.#constants.set(key, content);
    return content;
  }

  #formula(index: number): Content {
    const known = this.#formulas.get(index);
    const content = known ?? { kind: 'formula', index };
    if (!known) this.#formulas.set(index, content);
    return content;
  }

  *#sheetParts(
    sheet: SheetOutline,
    segments: readonly Segment<Content>[],
  ): Generator<void, OperationPart[]> {
    const blanks: Range[] = [];
    const fills: OperationPart[] = [];
    const spelled = new Map<number, Map<number, PlainCell>>();
    for (const { range, key } of yield* rectanglesOf(segments)) {
      if (++this.#runCount % runsBetweenPauses === 0) yield;
      if (key.kind === 'blank') {
        blanks.push(range);
        continue;
      }
      const first = this.#cellOf(key, { sheet, row: range.row0, column: range.column0 });
      const { wire } = first;
      if (key.kind === 'formula' && typeof wire === 'string' && wire.includes('#REF!')) {
        for (const place of placesIn(sheet, range)) this.mute.push(place);
      }
      if (cellCount(range) >= filledLeast && first.array === undefined) {
        fills.push(fillOf(sheet, range, first));
      } else {
        this.#spell(sheet, { range, key }, spelled);
      }
    }
    return [...clearsOf(sheet, blanks), ...fills, ...(yield* spelledParts(sheet, spelled))];
  }

  #spell(
    sheet: SheetOutline,
    { range, key }: { range: Range; key: Content },
    spelled: Map<number, Map<number, PlainCell>>,
  ): void {
    for (let { column0: column } = range; column <= range.column1; column++) {
      const cells = spelled.get(column) ?? new Map<number, PlainCell>();
      spelled.set(column, cells);
      for (let { row0: row } = range; row <= range.row1; row++) {
        const cell = this.#cellOf(key, { sheet, row, column });
        cells.set(row, cell);
        this.#count(cell);
      }
    }
  }

  #count({ wire }: PlainCell): void {
    this.#spelledCount++;
    if (typeof wire === 'string') this.#characterCount += wire.length;
    if (
      this.#spelledCount <= limits.cellsPerUndo &&
      this.#characterCount <= limits.charactersPerUndo
    ) {
      return;
    }
    const most = `${limits.cellsPerUndo} cells or ${limits.charactersPerUndo} characters`;
    throw new Rejection('range_too_large', `more than ${most} would have to be written again`);
  }

  #cellOf(content: Content, at: Omit<FormulaRun, 'count' | 'index'>): PlainCell {
    if (content.kind === 'blank') return { wire: null };
    if (content.kind === 'constant') return { wire: content.wire };
    const held = formulaOf(this.#runs.input({ ...at, count: 1, index: content.index }));
    if (!held) throw new Error('a formula was expected');
    const { formula, array, legacy } = held;
    return { wire: this.#carrier.names(formula), array, legacy };
  }
}

function* placesIn(sheet: SheetOutline, range: Range) {
  for (let { column0: column } = range; column <= range.column1; column++) {
    for (let { row0: row } = range; row <= range.row1; row++) {
      yield placeAt(sheet, { row, column });
    }
  }
}

function fillOf({ id: sheet }: SheetOutline, range: Range, { wire, legacy }: PlainCell) {
  const payload = { sheet, range: rangeName(range), input: wire, ...(legacy && { legacy }) };
  return { kind: 'range.fill', payload } as const;
}

function clearsOf({ id: sheet }: SheetOutline, areas: readonly Range[]): OperationPart[] {
  const parts: OperationPart[] = [];
  for (let at = 0; at < areas.length; at += limits.areasPerRange) {
    const range = areas
      .slice(at, at + limits.areasPerRange)
      .map(rangeName)
      .join(',');
    parts.push({ kind: 'range.clear', payload: { sheet, range, what: ['values'] } });
  }
  return parts;
}

function* spelledParts(
  sheet: SheetOutline,
  spelled: ReadonlyMap<number, ReadonlyMap<number, PlainCell>>,
): Generator<void, OperationPart[]> {
  const listed: SpelledCell[] = [];
  const parts: OperationPart[] = [];
  const segments: Segment<boolean>[] = [];
  for (const [column, cells] of spelled) {
    for (const segment of plainSegments(column, cells)) segments.push(segment);
    yield;
  }
  const cellAt = (row: number, column: number) => spelled.get(column)?.get(row) ?? { wire: null };
  let count = 0;
  for (const { range, key } of yield* rectanglesOf(segments)) {
    if (++count % rectanglesBetweenPauses === 0) yield;
    if (key && cellCount(range) >= blockLeast) {
      for (const block of blocksOf(range)) parts.push(blockOf(sheet, block, cellAt));
      continue;
    }
    for (let { row0: row } = range; row <= range.row1; row++) {
      for (let { column0: column } = range; column <= range.column1; column++) {
        listed.push({ a1: cellName(row, column), cell: cellAt(row, column) });
      }
    }
  }
  for (let at = 0; at < listed.length; at += cellsPerPart) {
    parts.push(listOf(sheet, listed.slice(at, at + cellsPerPart)));
    yield;
  }
  return parts;
}

interface SpelledCell {
  readonly a1: string;
  readonly cell: PlainCell;
}

function listOf({ id: sheet }: SheetOutline, listed: readonly SpelledCell[]): OperationPart {
  const cells = listed.map(({ a1, cell }) => {
    const { wire, array, legacy } = cell;
    return { a1, input: wire, ...(array !== undefined && { array }), ...(legacy && { legacy }) };
  });
  return { kind: 'cells.set', payload: { sheet, cells } };
}

/** Splits a column into stretches of cells that a `range.set` can write (true) or not. */
function plainSegments(column: number, cells: ReadonlyMap<number, PlainCell>): Segment<boolean>[] {
  const plain = new Map<number, boolean>();
  for (const [row, cell] of cells) plain.set(row, isPlain(cell));
  return segmentsOf(column, plain);
}

function isPlain({ array, legacy }: PlainCell): boolean {
  return array === undefined && legacy === undefined;
}

/** Cuts a range into pieces within the limit of cells for one operation. */
function* blocksOf(range: Range): Generator<Range> {
  const height = Math.max(1, Math.floor(limits.cellsPerOperation / columnCount(range)));
  for (let { row0 } = range; row0 <= range.row1; row0 += height) {
    yield { ...range, row0, row1: Math.min(range.row1, row0 + height - 1) };
  }
}

function blockOf(
  { id: sheet }: SheetOutline,
  range: Range,
  cellAt: (row: number, column: number) => PlainCell,
): OperationPart {
  const inputs = Array.from({ length: rowCount(range) }, (_, row) =>
    Array.from(
      { length: columnCount(range) },
      (__, column) => cellAt(range.row0 + row, range.column0 + column).wire,
    ),
  );
  return { kind: 'range.set', payload: { sheet, range: rangeName(range), inputs } };
}
