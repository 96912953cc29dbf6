import { Pace } from '../branches/pace.ts';
import type { Environment } from '../model/environment.ts';
import type { IdentityNames, WrittenBy } from '../model/identity-names.ts';
import type { OperationKind, Payload } from '../model/operation.ts';
import { referenceName } from '../model/reference.ts';
import { stepsSince, type HeldOf } from '../values/blame/backwards.ts';
import { CellIndex, type SoughtCell } from '../values/blame/cell-index.ts';
import {
  isFound,
  WriterSearch,
  type FoundWriter,
  type WriterSearchParts,
  type WrittenOperation,
} from '../values/blame/writer-search.ts';
import { identityOf } from './cell-entries.ts';
import type { ComparedStates } from './diffs.ts';
import type { DiffEntry } from './entry.ts';

export interface OriginParts extends WriterSearchParts {
  readonly names: IdentityNames;
  readonly environment: Environment;
  /** Operations that one page looks at, about. */
  readonly operationsMost: number;
}

/** The operation that made a cell what it is. */
export interface CellOrigin extends WrittenBy {
  /** Left out where its branch is deleted. */
  readonly at?: string;
  readonly cause: 'edited' | 'moved';
  /** By which merge it came to the branch that was asked about. */
  readonly merge?: WrittenBy & { readonly id: string; readonly at?: string };
}

/** Kinds that move cells. */
const moving: ReadonlySet<OperationKind> = new Set([
  'range.move',
  'range.insert',
  'range.delete',
  'range.sort',
]);

/** The part of origins that a diff in words needs. */
export type Attribution = Pick<Origins, 'newPace'> & Partial<Pick<Origins, 'find'>>;

/** The attribution of changes that nobody wrote yet: it finds no author. */
export function unattributed(environment: Environment): Attribution {
  return { newPace: () => new Pace(environment) };
}

/**
 * Finds who changed the cells of a page, where the way back to the common base of both sides is
 * short.
 */
export class Origins {
  readonly #parts: OriginParts;

  constructor(parts: OriginParts) {
    this.#parts = parts;
  }

  /** Makes a pace for putting differences into words. */
  newPace(): Pace {
    return new Pace(this.#parts.environment);
  }

  /** By the place of the entry among those given; those that only `from` changed are not there. */
  async find(
    compared: Pick<ComparedStates, 'to' | 'base' | 'relation'>,
    entries: readonly DiffEntry[],
  ): Promise<ReadonlyMap<number, CellOrigin>> {
    const { to, base, relation } = compared;
    // The state of an open merge was written by nobody yet.
    if (!base || relation === 'behind' || to.onto) return new Map();
    const heldOf = (branchNo: number) => (branchNo === base.branchNo ? base.seq : 0);
    return this.ofCells(to, heldOf, indexesOf(entries));
  }

  /**
   * Does as `find`, for cells by their index; `heldOf` tells which operations were there before, by
   * branch.
   */
  async ofCells(
    to: Pick<ComparedStates['to'], 'address' | 'seq'>,
    heldOf: HeldOf,
    values: readonly CellIndex[],
  ): Promise<ReadonlyMap<number, CellOrigin>> {
    const found = new Map<number, FoundWriter>();
    if (values.length > 0) await this.#search(to, heldOf, { values, found });
    const actors = [...new Set(found.values())].flatMap(({ record, merge }) =>
      merge ? [record.principalId, merge.record.principalId] : [record.principalId],
    );
    const name = await this.#parts.names.of(actors);
    return new Map([...found].map(([index, one]) => [index, originOf(one, name)]));
  }

  /** Reads the journal back to what both sides share, as far as it is within reach. */
  async #search(
    { address: { workbookId, branchNo }, seq }: Pick<ComparedStates['to'], 'address' | 'seq'>,
    heldOf: HeldOf,
    { values, found }: { values: readonly CellIndex[]; found: Map<number, FoundWriter> },
  ): Promise<void> {
    const { journal, operationsMost } = this.#parts;
    const tell = (one: FoundWriter): void => {
      for (const { index } of one.values) found.set(index, one);
    };
    const search = new WriterSearch(this.#parts, { workbookId, pace: this.newPace(), tell });
    const sought = { values, formats: [] };
    let left = operationsMost;
    for await (const step of stepsSince(journal, workbookId, { from: { branchNo, seq }, heldOf })) {
      left -= step.records.length + (await search.note(step, sought));
      if (isFound(sought) || left <= 0) return;
    }
  }
}

function indexesOf(entries: readonly DiffEntry[]): CellIndex[] {
  const bySheet = new Map<string, SoughtCell[]>();
  for (const [index, { pair, cell, collapsed }] of entries.entries()) {
    const sought = cell ?? (collapsed && { run: collapsed.first, skipped: 0 });
    if (!pair || !sought) continue;
    const { row, column } = identityOf(pair, sought);
    const own = bySheet.get(pair.id) ?? [];
    bySheet.set(pair.id, own);
    own.push({ index, row, column });
  }
  return [...bySheet].map(([id, cells]) => new CellIndex(id, cells));
}

function originOf({ merge, ...written }: FoundWriter, name: (id: string) => string): CellOrigin {
  const cause = moving.has(written.record.kind) ? 'moved' : 'edited';
  const by = { ...writtenBy(written, name), cause } as const;
  if (!merge) return by;
  // The journal has payloads of their kinds.
  const { mid: id } = merge.record.payload as Payload<'merge'>;
  return { ...by, merge: { id, ...writtenBy(merge, name) } };
}

function writtenBy(
  { record: { principalId: actor, writer, seq }, step: { branch } }: WrittenOperation,
  name: (id: string) => string,
): WrittenBy & { readonly at?: string } {
  const by = { by: name(actor), actor, writer };
  return branch === null ? by : { ...by, at: referenceName(branch, seq) };
}
