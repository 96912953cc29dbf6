import { parseSheetRange, type Range } from '../../../server/model/range.ts';
import type { ShownRecords } from '../grid/source.ts';
import type { Service } from '../service.ts';
import type { Comment, Thread } from './comments.ts';
import { lookRulesOf, type LookRule, type RuleRecord } from '../store/rule-looks.ts';
import { choicesOf, type ChoiceList, type ValidationRecord } from './choices.ts';
import { warnedRulesOf, type WarnedRule } from './rule-warnings.ts';
import { buttonsOf, type Criterion, type RowFilter } from './row-filter.ts';

/** Records on the cells of a sheet: merged areas, notes, comments and the filter. */
export interface SheetRecords extends ShownRecords {
  /** Texts of notes by `row:column`, from 0. */
  readonly texts: ReadonlyMap<string, string>;
  readonly filter: RowFilter | undefined;
  readonly threads: readonly Thread[];
  /** Conditional formats by priority. */
  readonly rules: readonly LookRule[];
  readonly choices: readonly ChoiceList[];
  /** Rules that warn of inputs without refusing them. */
  readonly warned: readonly WarnedRule[];
}

export const noRecords: SheetRecords = {
  merged: [],
  notes: [],
  texts: new Map(),
  filter: undefined,
  filters: [],
  threads: [],
  commented: [],
  rules: [],
  choices: [],
  warned: [],
};

interface StoredRecord {
  readonly type: string;
  readonly id?: string;
  readonly ranges?: readonly string[];
  readonly range?: string;
  readonly a1?: string;
  readonly value?: {
    readonly text?: string;
    readonly resolved?: boolean;
    readonly comments?: readonly Comment[];
    readonly criteria?: readonly Criterion[];
  };
}

const most = 1_000;

/** Loads the first thousand records of those that the grid draws, and the filter. */
export async function loadRecords(
  service: Service,
  workbookId: string,
  { sheet, ref }: { readonly sheet: string; readonly ref: string },
): Promise<SheetRecords> {
  const ask = async (types: string): Promise<readonly StoredRecord[]> => {
    const query = new URLSearchParams({ sheet, ref, types, limit: String(most) });
    const path = `/v1/workbooks/${workbookId}/records?${query}`;
    return (await service.ask<{ records: readonly StoredRecord[] }>(path)).records;
  };
  // The filter is requested separately: notes could push it off the page, and it would be replaced
  // unseen.
  const asked = await Promise.all(['cellmerge,note,thread', 'filter', 'cf', 'validation'].map(ask));
  const records = asked.flat();
  const of = (type: string) => records.filter((record) => record.type === type);
  const notes = of('note').flatMap((record) =>
    areasOf(record).map(({ row0: row, column0: column }) => ({ row, column, record })),
  );
  const texts = notes.map(
    ({ row, column, record }) => [`${row}:${column}`, record.value?.text ?? ''] as const,
  );
  const threads = of('thread').flatMap(threadsOf);
  const [filter] = of('filter').flatMap(filterOf);
  const commented = threads.filter(({ isResolved }) => !isResolved).map(({ at }) => at);
  return {
    merged: of('cellmerge').flatMap(areasOf),
    notes,
    texts: new Map(texts),
    filter,
    filters: buttonsOf(filter),
    threads,
    commented,
    rules: lookRulesOf(of('cf') as readonly RuleRecord[]),
    choices: choicesOf(of('validation') as readonly ValidationRecord[]),
    warned: warnedRulesOf(of('validation') as readonly ValidationRecord[]),
  };
}

function areasOf({ ranges, range, a1 }: StoredRecord): readonly Range[] {
  const places = ranges ?? [range ?? a1 ?? ''];
  return places.flatMap((place) => parseSheetRange(place)?.areas ?? []);
}

function filterOf(record: StoredRecord): RowFilter[] {
  const [range] = areasOf(record);
  return range ? [{ range, criteria: record.value?.criteria ?? [] }] : [];
}

function threadsOf(record: StoredRecord): Thread[] {
  const [first] = areasOf(record);
  if (!first) return [];
  const { comments = [], resolved: isResolved = false } = record.value ?? {};
  const at = { row: first.row0, column: first.column0 };
  return [{ id: record.id ?? '', at, isResolved, comments }];
}
