import type { Place } from '../../branches/place.ts';
import type { JournalRecord } from '../../branches/record.ts';
import { Pace } from '../../branches/pace.ts';
import type { Environment } from '../../model/environment.ts';
import type { SheetRange } from '../../model/range.ts';
import { writtenCells } from '../../state/written-cells.ts';
import type { BranchSource } from '../branch-source.ts';
import type { BackwardJournal, BackwardStep, JournalPlace } from './backwards.ts';
import { CellIndex, type SoughtCell } from './cell-index.ts';
import {
  readCursor,
  writeCursor,
  wrongCursor,
  type BlameCursor,
  type CursorScope,
} from './cursor.ts';
import { findRangeCells, type FilledCell, type RangeCells } from './range-cells.ts';

export interface BlameParts {
  readonly source: Pick<BranchSource, 'read' | 'readAt'>;
  readonly journal: BackwardJournal;
  readonly environment: Environment;
  /** Operations that one answer looks at, about. */
  readonly operationsMost: number;
}

export interface BlameRequest {
  readonly workbookId: string;
  readonly place: Place;
  readonly range: SheetRange;
  /** The range as it was sent. */
  readonly text: string;
  readonly cursor: string | undefined;
}

/** The operation that wrote something. */
export interface Origin {
  /** Branch it was written to; null if that is deleted. */
  readonly branch: string | null;
  readonly seq: number;
  readonly writer: string;
  readonly actor: string;
  readonly kind: JournalRecord['kind'];
  readonly opId: string | null;
  readonly at: string;
}

export interface BlamedCell extends Origin {
  readonly cell: string;
  /** Null where it looks as a new cell does, or the journal has not been read so far. */
  readonly format: Origin | null;
}

export interface BlamePage {
  readonly seq: number;
  readonly sheet: string;
  readonly cells: readonly BlamedCell[];
  /** Formats of cells that an earlier page has told the writer of. */
  readonly formats: readonly { readonly cell: string; readonly format: Origin }[];
  /** Undefined when nothing is left to be found. */
  readonly next: string | undefined;
}

/** Says who wrote the cells of a range, by reading the journal backwards from a position. */
export class Blame {
  readonly #parts: BlameParts;

  constructor(parts: BlameParts) {
    this.#parts = parts;
  }

  async read(request: BlameRequest): Promise<BlamePage> {
    const { place, range, text } = request;
    const scope = { branchNo: place.address.branchNo, range: text };
    const cursor = request.cursor === undefined ? undefined : readCursor(request.cursor, scope);
    if (cursor && cursor.seq > place.seq) throw wrongCursor();
    const found = await this.#cells(place, range, cursor?.seq);
    const walk = new Walk(found, cursor);
    const from = cursor?.place ?? { branchNo: scope.branchNo, seq: found.seq };
    const next = await this.#walk(walk, request.workbookId, from);
    return walk.page(next, scope);
  }

  #cells(place: Place, range: SheetRange, seq: number | undefined): Promise<RangeCells> {
    const { source } = this.#parts;
    const look = (state: Parameters<typeof findRangeCells>[0]) => findRangeCells(state, range);
    const pinned = seq ?? (place.isPinned ? place.seq : undefined);
    return pinned === undefined
      ? source.read(place.address, look)
      : source.readAt(place.address, pinned, look);
  }

  /** Where to go on when it takes too long; undefined when all is found. */
  async #walk(
    walk: Walk,
    workbookId: string,
    from: JournalPlace,
  ): Promise<JournalPlace | undefined> {
    const { journal, environment, operationsMost } = this.#parts;
    const pace = new Pace(environment);
    if (walk.isDone()) return undefined;
    let left = operationsMost;
    for await (const step of journal.steps(workbookId, from)) {
      for (const record of step.records) {
        walk.note(record, step);
        if (walk.isDone()) return undefined;
        if (pace.isDue) await pace.rest();
      }
      left -= step.records.length;
      if (left <= 0) return step.next;
    }
    return undefined;
  }
}

/** The search for the writers of some cells. */
class Walk {
  readonly #found: RangeCells;
  readonly #values: CellIndex;
  readonly #formats: CellIndex;
  readonly #valueOrigins = new Map<number, Origin>();
  readonly #formatOrigins = new Map<number, Origin>();

  constructor(found: RangeCells, cursor: BlameCursor | undefined) {
    this.#found = found;
    const { sheet, cells } = found;
    const sought = (index: number) => cursor?.values.has(index) ?? true;
    const isFormatSought = ({ index, isFormatted }: FilledCell) => {
      return cursor ? cursor.formats.has(index) : isFormatted;
    };
    const values = cells.filter(({ index }) => sought(index));
    this.#values = new CellIndex(sheet.id, values);
    this.#formats = new CellIndex(sheet.id, cells.filter(isFormatSought));
  }

  isDone(): boolean {
    return this.#values.size === 0 && this.#formats.size === 0;
  }

  note(record: JournalRecord, { branch }: Pick<BackwardStep, 'branch'>): void {
    const { kind, payload, resolved } = record;
    const written = writtenCells(kind, payload, resolved);
    const values = this.#values.take(written.values);
    const formats = this.#formats.take(written.formats);
    if (values.length === 0 && formats.length === 0) return;
    const origin = originOf(record, branch);
    for (const { index } of values) this.#valueOrigins.set(index, origin);
    for (const { index } of formats) this.#formatOrigins.set(index, origin);
  }

  page(next: JournalPlace | undefined, scope: CursorScope): BlamePage {
    const { seq, sheet, cells: all } = this.#found;
    const [lost] = this.#values.cells();
    if (lost && !next) throw new Error(`nobody wrote ${all[lost.index]?.cell ?? 'a cell'}`);
    const cells: BlamedCell[] = [];
    const formats: { cell: string; format: Origin }[] = [];
    for (const { index, cell } of all) {
      const origin = this.#valueOrigins.get(index);
      const format = this.#formatOrigins.get(index);
      if (origin) cells.push({ cell, ...origin, format: format ?? null });
      else if (format) formats.push({ cell, format });
    }
    return { seq, sheet: sheet.name, cells, formats, next: next && this.#cursor(next, scope) };
  }

  #cursor(place: JournalPlace, scope: CursorScope): string {
    const { seq, cells } = this.#found;
    const [values, formats] = [indexesOf(this.#values), indexesOf(this.#formats)];
    return writeCursor({ seq, place, values, formats }, scope, cells.length);
  }
}

function indexesOf(cells: CellIndex): Set<number> {
  return new Set([...cells.cells()].map(({ index }: SoughtCell) => index));
}

function originOf(
  { seq, writer, principalId, kind, id, at }: JournalRecord,
  branch: string | null,
): Origin {
  const time = new Date(at).toISOString();
  return { branch, seq, writer, actor: principalId, kind, opId: id, at: time };
}
