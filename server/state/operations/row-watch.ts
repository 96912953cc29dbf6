import { rowLimit } from '../../model/address.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { Plan } from '../plan/plan.ts';
import type { LineSpan } from '../structure/line-span.ts';
import { sortOf } from '../references/rewrite.ts';
import {
  filteredRows,
  filterKeyPrefix,
  hiddenRows,
  mutationOf,
  pieces,
} from '../records/row-visibility.ts';
import type { StateParts } from '../state-parts.ts';
import type { RecordChange } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

type LineMutation = Extract<Mutation, { kind: 'insert' | 'delete' | 'move' }>;

/**
 * Tells a kernel which rows a plan hides or shows, and which are now hidden by a filter instead of
 * by hand, or the reverse. The kernel itself moves hidden rows when rows are inserted, deleted or
 * moved.
 */
export class RowWatch {
  readonly #plan: Plan;
  readonly #parts: StateParts;
  readonly #before: Structure;
  /** Rows under a filter before the plan, by sheet. */
  readonly #filtered = new Map<string, LineSpan>();

  private constructor(plan: Plan, parts: StateParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.#before = parts.structure;
    const { records } = parts.content;
    if (records.count('filter') === 0) return;
    for (const sheet of this.#before.sheets) {
      const filtered = filteredRows(sheet, records);
      if (filtered) this.#filtered.set(sheet.id, filtered);
    }
  }

  /**
   * Makes a watch before the plan is carried out; undefined for a plan that cannot change visible
   * rows.
   */
  static of(plan: Plan, parts: StateParts): RowWatch | undefined {
    return mayChangeRows(plan) ? new RowWatch(plan, parts) : undefined;
  }

  /** Yields the mutations that a kernel needs in addition to those of the plan. */
  *changes(mutations: readonly Mutation[]): Generator<Mutation> {
    const { structure, looks } = this.#parts;
    for (const sheet of structure.sheets) {
      const told = this.#ownRows(sheet);
      if (told.isAnew) {
        for (const span of told.rows) yield mutationOf(sheet, { ...span, hidden: 'no' });
      }
      yield* this.#hiddenNow(sheet);
      if (!looks.lines.of(sheet.id, 'row').hidesAny) continue;
      for (const span of [...told.rows, ...this.#otherRows(sheet, mutations)]) {
        yield* hiddenRows(sheet, { looks, records: this.#parts.content.records }, span);
      }
    }
  }

  /** Yields all rows that a plan hides, without looking them up: there may be many spans. */
  *#hiddenNow(sheet: SheetOutline): Generator<Mutation> {
    const plan = this.#plan;
    if (plan.type !== 'lines' || plan.sheet.id !== sheet.id || plan.change.hidden !== true) return;
    const filtered = filteredRows(sheet, this.#parts.content.records);
    for (const span of plan.spans) {
      for (const piece of pieces(span, filtered)) yield mutationOf(sheet, piece);
    }
  }

  /**
   * Finds rows of the plan in which hidden ones are looked up; `isAnew` if hidden ones may now be
   * shown.
   */
  #ownRows(sheet: SheetOutline): { rows: readonly LineSpan[]; isAnew: boolean } {
    const plan = this.#plan;
    if (plan.type === 'lines' && plan.sheet.id === sheet.id) {
      const isAnew = plan.change.hidden !== true;
      return { rows: isAnew ? plan.spans : [], isAnew };
    }
    const sort = plan.type === 'rewrite' ? sortOf(plan) : undefined;
    if (sort?.after.id !== sheet.id) return { rows: [], isAnew: false };
    return { rows: sort.moved, isAnew: this.#parts.looks.lines.of(sheet.id, 'row').hidesAny };
  }

  /** Finds other rows whose hidden ones the kernel may not know, or know with another cause. */
  #otherRows(sheet: SheetOutline, mutations: readonly Mutation[]): LineSpan[] {
    const all = { from: 0, count: rowLimit };
    if (!this.#before.withId(sheet.id)) return [all];
    const edits = mutations.filter((mutation) => isRowEdit(mutation, sheet));
    // A deletion brings back rows that were pushed off the end.
    let backCount = 0;
    for (const { kind, count } of edits) if (kind === 'delete') backCount += count;
    const back = { from: Math.max(0, rowLimit - backCount), count: Math.min(rowLimit, backCount) };
    const before = this.#filtered.get(sheet.id);
    const carried = edits.reduce(carry, before ? [before] : []);
    const filtered = filteredRows(sheet, this.#parts.content.records);
    return [back, ...differences(carried, filtered)].filter(({ count }) => count > 0);
  }
}

function mayChangeRows(plan: Plan): boolean {
  switch (plan.type) {
    case 'lines':
      return plan.axis === 'row' && plan.change.hidden !== undefined;
    case 'records':
      return touchesFilter(plan.change);
    case 'insert':
    case 'delete':
    case 'move':
    case 'rewrite':
    case 'table':
    case 'sheetAdd':
      return true;
    default:
      return false;
  }
}

function touchesFilter({ puts, deletes }: RecordChange): boolean {
  const isFilter = (key: string) => key.startsWith(filterKeyPrefix);
  return puts.some(({ type }) => type === 'filter') || deletes.some(isFilter);
}

function isRowEdit(mutation: Mutation, { key }: SheetOutline): mutation is LineMutation {
  const { kind } = mutation;
  const isEdit = kind === 'insert' || kind === 'delete' || kind === 'move';
  return isEdit && mutation.axis === 'row' && mutation.sheet === key;
}

/** Carries spans of rows over an edit, without deleted rows. */
function carry(spans: readonly LineSpan[], edit: LineMutation): LineSpan[] {
  return stays(edit)
    .flatMap(([start, end, target]) =>
      spans.map(({ from, count }) => {
        const first = Math.max(from, start);
        return { from: first + target - start, count: Math.min(from + count, end) - first };
      }),
    )
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.from - b.from);
}

/** Stretches of rows that stay together in an edit: start, end and new start. */
function stays(edit: LineMutation): (readonly [number, number, number])[] {
  const { from, count } = edit;
  const end = from + count;
  if (edit.kind !== 'move') {
    const isInsert = edit.kind === 'insert';
    return [[0, from, 0], isInsert ? [from, rowLimit - count, end] : [end, rowLimit, from]];
  }
  const { before } = edit;
  const isUp = before <= from;
  const [low, high] = isUp ? [before, end] : [from, before];
  return [
    [0, low, 0],
    [from, end, isUp ? before : before - count],
    isUp ? [before, from, before + count] : [end, before, from],
    [high, rowLimit, high],
  ];
}

/** Spans of rows that are in only one of the two arguments; `spans` are sorted. */
function differences(spans: readonly LineSpan[], other: LineSpan | undefined): LineSpan[] {
  const { from, count } = other ?? { from: 0, count: 0 };
  const found: LineSpan[] = [];
  const add = (start: number, end: number) => {
    if (start < end) found.push({ from: start, count: end - start });
  };
  let next = from;
  for (const span of spans) {
    const end = span.from + span.count;
    add(span.from, Math.min(end, from));
    add(next, Math.min(span.from, from + count));
    next = Math.max(next, end);
    add(Math.max(span.from, from + count), end);
  }
  add(next, from + count);
  return found;
}
