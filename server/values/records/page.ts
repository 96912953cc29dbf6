import type { SheetRange } from '../../model/range.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { findRecords, viewRecords, type RecordView } from '../../state/records/record-view.ts';
import type { SheetOutline } from '../../state/structure/structure.ts';
import type { FileRecord } from '../../../workers/files/file-record.ts';
import type { BranchSource } from '../branch-source.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';
import type { Place } from '../../branches/place.ts';

export interface RecordsRequest {
  readonly types: readonly string[] | undefined;
  readonly sheet: string | undefined;
  /** Range on that sheet, on the sheet it names, or on the first one. */
  readonly range: SheetRange | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface RecordsPage {
  readonly seq: number;
  readonly total: number;
  readonly records: readonly (Omit<RecordView, 'sheet'> & {
    readonly sheet: string;
    readonly sheetId: string;
  })[];
}

const recordsBetweenPauses = 256;

/** Reads a page of the records of a position. */
export function readRecords(
  { address, seq, isPinned }: Place,
  request: RecordsRequest,
  source: BranchSource,
): Promise<RecordsPage> {
  const look = (state: BranchState) => readPage(state, request);
  return isPinned ? source.readAt(address, seq, look) : source.read(address, look);
}

function* readPage(state: BranchState, request: RecordsRequest): Generator<void, RecordsPage> {
  const { coding, records, structure } = state;
  const { types, offset, limit, range } = request;
  const sheet = sheetOf(state, request);
  const filter = {
    types: types && new Set(types),
    sheetId: sheet?.id,
    areas: range?.areas,
  };
  const found: RecordsPage['records'][number][] = [];
  let total = 0;
  for (const record of findRecords({ records, structure, formulas: coding.formulas }, filter)) {
    if (total >= offset && found.length < limit) {
      const { type, id, sheet: sheetId, ranges, value } = record.view();
      const name = structure.withId(sheetId)?.name ?? '';
      found.push({ type, id, sheet: name, sheetId, ranges, value });
    }
    total++;
    if (total % recordsBetweenPauses === 0) yield;
  }
  return { seq: state.head, total, records: found };
}

/** Reads the records of all sheets in the form for files, by sheet key. */
export function* readFileRecords({
  coding,
  records,
  structure,
}: BranchState): Generator<void, ReadonlyMap<number, readonly FileRecord[]>> {
  const found = new Map<number, FileRecord[]>();
  let count = 0;
  for (const view of viewRecords({ records, structure, formulas: coding.formulas })) {
    if (view.ranges?.length === 0) continue;
    const key = structure.withId(view.sheet)?.key ?? 0;
    const list = found.get(key) ?? [];
    found.set(key, list);
    const { type, ranges, value } = view;
    list.push({ type, ranges, value });
    if (++count % recordsBetweenPauses === 0) yield;
  }
  return found;
}

function sheetOf(
  { structure }: BranchState,
  { sheet, range }: RecordsRequest,
): SheetOutline | undefined {
  const name = range?.sheet ?? sheet;
  if (name === undefined) return range === undefined ? undefined : structure.sheets[0];
  const found = structure.find(name);
  if (found) return found;
  throw sheetNotFound(name, structure.sheets);
}
