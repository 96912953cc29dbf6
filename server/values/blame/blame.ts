import type { Place } from '../../branches/place.ts';
import type { JournalRecord } from '../../branches/record.ts';
import { Pace } from '../../branches/pace.ts';
import type { Environment } from '../../model/environment.ts';
import type { IdentityNames, WrittenBy } from '../../model/identity-names.ts';
import type { Payload } from '../../model/operation.ts';
import type { SheetRange } from '../../model/range.ts';
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
import {
  isFound,
  WriterSearch,
  type FoundWriter,
  type Sought,
  type WriterSearchParts,
  type WrittenOperation,
} from './writer-search.ts';

export interface BlameParts extends WriterSearchParts {
  readonly source: Pick<BranchSource, 'read' | 'readAt'>;
  readonly journal: BackwardJournal;
  readonly names: IdentityNames;
  readonly environment: Environment;
  /** Most operations read for one answer, approximately. */
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

/** An operation and its place. */
interface OperationFacts extends WrittenBy {
  /** Branch it was written to; null if that is deleted. */
  readonly branch: string | null;
  readonly seq: number;
  readonly at: string;
  /** Path of its proof on this service; null if it is older than the log. */
  readonly proof: string | null;
}

/** The operation that wrote something. */
export interface Origin extends OperationFacts {
  readonly kind: JournalRecord['kind'];
  readonly opId: string | null;
  /** The merge by which it came to the branch of the request; null if written there. */
  readonly merge: (OperationFacts & { readonly id: string }) | null;
}

type Name = (id: string) => string;

export interface BlamedCell extends Origin {
  readonly cell: string;
  /** Writer of the format; null for a plain cell, or if not reached yet. */
  readonly format: Origin | null;
}

export interface BlamePage {
  readonly seq: number;
  readonly sheet: string;
  readonly cells: readonly BlamedCell[];
  /** Formats of cells whose content was on an earlier page. */
  readonly formats: readonly { readonly cell: string; readonly format: Origin }[];
  /** Cursor of the next page; undefined if all is found. */
  readonly next: string | undefined;
}

/** Finds the writers of the cells of a range, by reading the journal backwards from a position. */
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
    const walk = new Walk(request.workbookId, found, cursor);
    const from = cursor?.place ?? { branchNo: scope.branchNo, seq: found.seq };
    const next = await this.#walk(walk, request.workbookId, from);
    return walk.page(next, scope, await this.#parts.names.of(walk.actors()));
  }

  #cells(place: Place, range: SheetRange, seq: number | undefined): Promise<RangeCells> {
    const { source } = this.#parts;
    const look = (state: Parameters<typeof findRangeCells>[0]) => findRangeCells(state, range);
    const pinned = seq ?? (place.isPinned ? place.seq : undefined);
    return pinned === undefined
      ? source.read(place.address, look)
      : source.readAt(place.address, pinned, look);
  }

  /**
   * Walks back until all is found; returns the place at which to continue if that takes too long.
   */
  async #walk(
    walk: Walk,
    workbookId: string,
    from: JournalPlace,
  ): Promise<JournalPlace | undefined> {
    const { journal, environment, operationsMost } = this.#parts;
    if (isFound(walk.sought)) return undefined;
    const pace = new Pace(environment);
    const tell = (found: FoundWriter) => walk.note(found);
    const search = new WriterSearch(this.#parts, { workbookId, pace, tell });
    let left = operationsMost;
    for await (const step of journal.steps(workbookId, from)) {
      left -= step.records.length + (await search.note(step, walk.sought));
      if (isFound(walk.sought)) return undefined;
      if (left <= 0) return step.next;
    }
    return undefined;
  }
}

/** The search for the writers of some cells. */
class Walk {
  readonly #workbookId: string;
  readonly #found: RangeCells;
  readonly #values: CellIndex;
  readonly #formats: CellIndex;
  readonly #valueOrigins = new Map<number, FoundWriter>();
  readonly #formatOrigins = new Map<number, FoundWriter>();

  constructor(workbookId: string, found: RangeCells, cursor: BlameCursor | undefined) {
    this.#workbookId = workbookId;
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

  get sought(): Sought {
    return { values: [this.#values], formats: [this.#formats] };
  }

  note(found: FoundWriter): void {
    for (const { index } of found.values) this.#valueOrigins.set(index, found);
    for (const { index } of found.formats) this.#formatOrigins.set(index, found);
  }

  /** Ids of the principals who wrote or merged. */
  actors(): string[] {
    const found = new Set([...this.#valueOrigins.values(), ...this.#formatOrigins.values()]);
    return [...found].flatMap(({ record, merge }) =>
      merge ? [record.principalId, merge.record.principalId] : [record.principalId],
    );
  }

  page(next: JournalPlace | undefined, scope: CursorScope, name: Name): BlamePage {
    const { seq, sheet, cells: all } = this.#found;
    const [lost] = this.#values.cells();
    if (lost && !next) throw new Error(`nobody wrote ${all[lost.index]?.cell ?? 'a cell'}`);
    const cells: BlamedCell[] = [];
    const formats: { cell: string; format: Origin }[] = [];
    const told = (found: FoundWriter | undefined) =>
      found && originOf(found, { workbookId: this.#workbookId, name });
    for (const { index, cell } of all) {
      const origin = told(this.#valueOrigins.get(index));
      const format = told(this.#formatOrigins.get(index));
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

interface Telling {
  readonly workbookId: string;
  readonly name: Name;
}

function originOf({ merge, ...written }: FoundWriter, telling: Telling): Origin {
  const { kind, id: opId } = written.record;
  const by = factsOf(written, telling);
  if (!merge) return { ...by, kind, opId, merge: null };
  // The payload has the type of its kind.
  const { mid: id } = merge.record.payload as Payload<'merge'>;
  return { ...by, kind, opId, merge: { id, ...factsOf(merge, telling) } };
}

function factsOf(
  { record, step }: WrittenOperation,
  { workbookId, name }: Telling,
): OperationFacts {
  const { seq, writer, principalId: actor, at } = record;
  const proof = proofPath(workbookId, step, seq);
  const { branch } = step;
  return { branch, seq, by: name(actor), actor, writer, at: new Date(at).toISOString(), proof };
}

/** Makes the path of a proof, with the number of the branch, whose name may be another's by now. */
function proofPath(
  workbookId: string,
  { branch, branchNo, loggedAfter }: Pick<BackwardStep, 'branch' | 'branchNo' | 'loggedAfter'>,
  seq: number,
): string | null {
  if (seq <= loggedAfter) return null;
  const place = branch === null ? `branchNo=${branchNo}` : `branch=${encodeURIComponent(branch)}`;
  return `/v1/workbooks/${workbookId}/proofs?${place}&seq=${seq}`;
}
