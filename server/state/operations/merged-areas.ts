import type { Mutation } from '../../model/mutation.ts';
import { rangeName, type Range } from '../../model/range.ts';
import { rangeOf } from '../structure/area.ts';
import { isLookPlan, type Plan } from '../plan/plan.ts';
import type { Records } from '../records/records.ts';
import { isCellPlan } from '../plan/registers.ts';
import { sortOf } from '../references/rewrite.ts';
import type { StateParts } from '../state-parts.ts';
import { recordKey, type RecordChange } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

type Areas = ReadonlyMap<string, Range>;

/** Yields mutations that tell a kernel all merged cells of a sheet. */
export function* mergedAreas(sheet: SheetOutline, records: Records): Generator<Mutation> {
  yield* mutationsOf(sheet, { removed: new Map(), added: areasOn(sheet, records) });
}

/**
 * Tells a kernel which cells a plan merges or unmerges: arrays do not spill into merged cells. The
 * kernel itself moves them with inserted lines, and being told so again changes nothing.
 */
export class MergeWatch {
  readonly #parts: StateParts;
  /** Merged areas before the plan, by id of the sheet; without sheets that had none. */
  readonly #before = new Map<string, Areas>();
  /** The change of records, of a plan that is only that. */
  readonly #change: RecordChange | undefined;

  private constructor(plan: Plan, parts: StateParts) {
    this.#parts = parts;
    this.#change = plan.type === 'records' ? plan.change : undefined;
    for (const sheet of parts.structure.sheets) {
      const areas = this.#areasOn(sheet, parts.structure);
      if (areas.size > 0) this.#before.set(sheet.id, areas);
    }
  }

  /**
   * Makes a watch before the plan is carried out; undefined for a plan that cannot change merged
   * cells.
   */
  static of(plan: Plan, parts: StateParts): MergeWatch | undefined {
    return mayMerge(plan, parts.content.records) ? new MergeWatch(plan, parts) : undefined;
  }

  *changes(): Generator<Mutation> {
    const { structure } = this.#parts;
    for (const sheet of structure.sheets) {
      const before = this.#before.get(sheet.id) ?? new Map<string, Range>();
      const after = this.#areasOn(sheet, structure);
      yield* mutationsOf(sheet, { removed: without(before, after), added: without(after, before) });
    }
  }

  #areasOn(sheet: SheetOutline, structure: Structure): Areas {
    const { records } = this.#parts.content;
    if (!this.#change) return areasOn(sheet, records);
    const areas = new Map<string, Range>();
    const { deletes, puts } = this.#change;
    const keys = new Set([...deletes, ...puts.map(recordKey)]);
    for (const key of keys) {
      const record = isMergeKey(key) ? records.get(key) : undefined;
      if (!record || structure.withId(record.sheetId) !== sheet) continue;
      for (const area of record.areas) addArea(areas, rangeOf(area, sheet));
    }
    return areas;
  }
}

const mergeKeyPrefix = 'cellmerge/';

function isMergeKey(key: string): boolean {
  return key.startsWith(mergeKeyPrefix);
}

/** Types of plans that change no record. */
const withoutRecords: ReadonlySet<Plan['type']> = new Set([
  'settings',
  'policy',
  'commit',
  'nameSet',
  'nameDelete',
  'nameRename',
]);

function mayMerge(plan: Plan, records: Records): boolean {
  if (withoutRecords.has(plan.type) || isLookPlan(plan)) return false;
  if ('records' in plan && plan.records && changesMerges(plan.records)) return true;
  if (plan.type === 'records') return changesMerges(plan.change);
  if (isCellPlan(plan) || records.count('cellmerge') === 0) return false;
  if (plan.type === 'rewrite') return sortOf(plan) !== undefined;
  return plan.type !== 'insert' || plan.ids !== undefined;
}

function changesMerges({ deletes, puts }: RecordChange): boolean {
  return deletes.some(isMergeKey) || puts.some(({ type }) => type === 'cellmerge');
}

function areasOn(sheet: SheetOutline, records: Records): Areas {
  const areas = new Map<string, Range>();
  for (const { areas: own } of records.on('cellmerge', sheet)) {
    for (const area of own) addArea(areas, rangeOf(area, sheet));
  }
  return areas;
}

function addArea(areas: Map<string, Range>, range: Range | undefined): void {
  if (range) areas.set(rangeName(range), range);
}

function without(areas: Areas, others: Areas): Areas {
  return new Map([...areas].filter(([name]) => !others.has(name)));
}

function* mutationsOf(
  sheet: SheetOutline,
  { removed, added }: { removed: Areas; added: Areas },
): Generator<Mutation> {
  if (removed.size + added.size === 0) return;
  const areas = { removed: [...removed.values()], added: [...added.values()] };
  yield { kind: 'merges', sheet: sheet.key, ...areas };
}
