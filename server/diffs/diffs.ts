import { LRUCache } from 'lru-cache';

import { Pace } from '../branches/pace.ts';
import { referenceTo, type Place } from '../branches/place.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { SharedWork } from '../model/shared-work.ts';
import type { Reference } from '../model/reference.ts';
import type { BranchState } from '../state/branch-state.ts';
import {
  diffStates,
  onlyKinds,
  type DiffKind,
  type DiffOptions,
  type StateDiff,
} from '../state/diff/diff.ts';
import type { Sides } from '../state/diff/sides.ts';
import type { SheetOutline } from '../state/structure/structure.ts';
import { stillAt, type StateSource } from '../tables/table-looks.ts';
import type { DiffPool } from './diff-pool.ts';
import { diffEntries, type DiffEntries } from './entries.ts';
import { relationOf, type CommonBase, type Lineages, type Relation } from './relation.ts';
import { findTable, tableChanges, type TableChanges } from './table-changes.ts';
import { summaryOf, type DiffSummary } from '../state/diff/summary.ts';
import type { ChangedValues, ValueDiffs } from './values.ts';

export interface DiffParts {
  readonly branches: StateSource;
  readonly lineages: Lineages;
  readonly values: ValueDiffs;
  readonly diffPool: DiffPool;
  readonly environment: Environment;
}

export interface DiffRequest {
  readonly workbookId: string;
  readonly from: Reference;
  readonly to: Reference;
  readonly kinds: ReadonlySet<DiffKind> | undefined;
  /** Id or name. */
  readonly sheet: string | undefined;
  readonly values: boolean;
  /** Seconds to wait for values that take a while; undefined: as long as it takes. */
  readonly waitSeconds: number | undefined;
  /** Aborted when the client is gone; left out where somebody waits in any case. */
  readonly signal?: AbortSignal;
}

/** A question about two positions that are known. */
export type DiffWish = Omit<DiffRequest, 'from' | 'to'>;

/** Ends of a diff, each settled to an operation. */
export interface DiffEnds {
  readonly from: Place;
  readonly to: Place;
}

export interface ComparedStates extends DiffEnds {
  readonly relation: Relation;
  readonly base: CommonBase | undefined;
  readonly diff: StateDiff;
  readonly entries: DiffEntries;
  readonly summary: DiffSummary;
  /** Changed values; undefined if not requested. */
  readonly values: ChangedValues | undefined;
}

/** Number of kept diffs, so that large ones are not computed for each page. */
const keptMost = 4;
const keptEntriesLeast = 1_000;
const keptEntriesMost = 500_000;

/** Positions that followers of tables have seen last. */
const recentMost = 4;

/** Kinds that tell why a value differs. */
const causes: readonly DiffKind[] = ['cells', 'structure'];

const onlyTables: ReadonlySet<DiffKind> = new Set(['tables']);

/** Compares positions of a workbook. */
export class Diffs {
  readonly #parts: DiffParts;
  /** Comparisons under way, by the same. */
  readonly #running = new Map<string, SharedWork<ComparedStates | undefined>>();
  /** Diffs by workbook, positions and options. */
  readonly #kept = new LRUCache<string, ComparedStates>({ max: keptMost });

  /** Recent states, mostly shared with the head, by workbook and position. */
  readonly #recent = new LRUCache<string, BranchState>({ max: recentMost });

  constructor(parts: DiffParts) {
    this.#parts = parts;
  }

  /** Finds the operations that the references mean now. */
  async locate({
    workbookId,
    from,
    to,
  }: Pick<DiffRequest, 'workbookId' | 'from' | 'to'>): Promise<DiffEnds> {
    const { branches } = this.#parts;
    const [start, end] = await Promise.all([
      branches.locate(workbookId, from),
      branches.locate(workbookId, to),
    ]);
    return { from: start, to: end };
  }

  /**
   * Returns undefined while values are being computed. The same is compared once for all who ask
   * meanwhile, and given up when all of them have gone.
   */
  async compare(request: DiffWish, ends: DiffEnds): Promise<ComparedStates | undefined> {
    const key = keyOf(request, ends);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const { signal, waitSeconds } = request;
    const workKey = `${key} ${waitSeconds}`;
    const running = this.#running.get(workKey);
    if (running && !running.isGivenUp) return running.wait(signal);
    const work = new SharedWork((given) => this.#compared({ ...request, signal: given }, ends));
    this.#running.set(workKey, work);
    work.whenEnded(() => {
      if (this.#running.get(workKey) === work) this.#running.delete(workKey);
    });
    return work.wait(signal);
  }

  async #compared(request: DiffWish, ends: DiffEnds): Promise<ComparedStates | undefined> {
    const { lineages } = this.#parts;
    const [from, to] = await this.#states(ends);
    const { relation, base } = await relationOf(ends.from, ends.to, lineages);
    const { kinds, sheet, signal } = request;
    const outline = sheet === undefined ? undefined : sheetIn(sheet, [to, from]);
    const sides = { from, to };
    const options = { kinds: comparedKinds(request), sheetId: outline?.id, signal };
    const whole = await this.#diff(request.workbookId, sides, options);
    signal?.throwIfAborted();
    const { waitSeconds } = request;
    const wish = { ...ends, sheetId: outline?.id, waitSeconds };
    const values = request.values ? await this.#parts.values.read(whole, wish) : undefined;
    if (request.values && !values) return undefined;
    const diff = kinds ? onlyKinds(whole, kinds) : whole;
    const linkOf = (table: string) => changesLink(request.workbookId, table, ends);
    const compared = described({ ...ends, relation, base, diff, values }, linkOf);
    const { length } = compared.entries;
    const isKept = length >= keptEntriesLeast && length <= keptEntriesMost;
    if (isKept) this.#kept.set(keyOf(request, ends), compared);
    return compared;
  }

  /** Does as `compare`, and waits for values as long as it takes. */
  async compareWhole(wish: Omit<DiffWish, 'waitSeconds'>, ends: DiffEnds): Promise<ComparedStates> {
    const compared = await this.compare({ ...wish, waitSeconds: undefined }, ends);
    if (!compared) throw new Error('values were waited for and are not there');
    return compared;
  }

  /** All rows of one table that differ, and its schema. */
  async tableChanges(ends: DiffEnds, idOrName: string): Promise<TableChanges> {
    const [from, to] = await Promise.all([this.#still(ends.from), this.#still(ends.to)]);
    const table = findTable({ from, to }, idOrName);
    const options = { kinds: onlyTables, sheetId: table.sheetId };
    const { workbookId } = ends.to.address;
    return tableChanges(await this.#diff(workbookId, { from, to }, options), table);
  }

  /** Frees the memory of a workbook's diffs. */
  forget(workbookId: string): void {
    for (const cache of [this.#kept, this.#recent]) {
      for (const key of cache.keys()) if (key.startsWith(`${workbookId} `)) cache.delete(key);
    }
  }

  async #diff(
    workbookId: string,
    sides: Sides,
    { signal, ...options }: DiffOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<StateDiff> {
    const { diffPool, environment } = this.#parts;
    const { kinds, sheetId } = options;
    const readsCells = kinds === undefined || kinds.has('cells') || kinds.has('tables');
    const cells =
      readsCells && (await diffPool.takes(sides, sheetId))
        ? await diffPool.changedCells(workbookId, sides, { sheetId, signal })
        : undefined;
    return new Pace(environment).run(diffStates(sides, { ...options, cells }));
  }

  /** Returns an immutable state, kept because a follower's next request begins there. */
  async #still(place: Place): Promise<BranchState> {
    const key = `${place.address.workbookId} ${positionText(place)}`;
    const known = this.#recent.get(key);
    if (known) return known;
    const state = await stillAt(this.#parts.branches, { ...place, isPinned: true });
    this.#recent.set(key, state);
    return state;
  }

  #states({ from, to }: DiffEnds): Promise<[BranchState, BranchState]> {
    const { branches } = this.#parts;
    return Promise.all([
      branches.stateAt(from.address, from.seq),
      branches.stateAt(to.address, to.seq),
    ]);
  }
}

/**
 * Entries and summary of the differences of two states; `linkOf` leads from a table to its rows.
 */
export function described(
  compared: Omit<ComparedStates, 'entries' | 'summary'>,
  linkOf: (tableId: string) => string,
): ComparedStates {
  const { diff, values } = compared;
  const entries = diffEntries(diff, { linkOf, values: values?.entries });
  return { ...compared, entries, summary: summaryOf(diff) };
}

/** Adds the kinds that decide why a cell shows another value. */
function comparedKinds({ kinds, values }: DiffWish): DiffRequest['kinds'] {
  return kinds && values ? new Set([...kinds, ...causes]) : kinds;
}

function keyOf({ workbookId, kinds, sheet, values }: DiffWish, { from, to }: DiffEnds): string {
  const wanted = [[...(kinds ?? [])].sort().join(), sheet ?? null, values];
  return `${workbookId} ${positionText(from)} ${positionText(to)} ${JSON.stringify(wanted)}`;
}

function positionText({ address, seq }: Place): string {
  return `${address.branchNo}@${seq}`;
}

/** The reference of a position that no other branch of its name will do for. */
export function pinned(place: Place): string {
  return referenceTo(place, place.seq);
}

export function changesLink(workbookId: string, tableId: string, { from, to }: DiffEnds): string {
  const query = new URLSearchParams({ from: pinned(from), to: pinned(to) });
  return `/v1/workbooks/${workbookId}/tables/${tableId}/changes?${query.toString()}`;
}

function sheetIn(sheet: string, states: readonly BranchState[]): SheetOutline {
  for (const { structure } of states) {
    const found = structure.find(sheet);
    if (found) return found;
  }
  const known = states.flatMap(({ structure }) => structure.sheets.map(({ name }) => name));
  throw new Failure('sheetNotFound', {
    detail: `Neither position has a sheet called ${sheet.slice(0, 100)}.`,
    hint: `Sheets are: ${[...new Set(known)].slice(0, 20).join(', ')}.`,
  });
}
