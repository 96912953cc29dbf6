import type { JournalRecord } from '../branches/record.ts';
import { Pace } from '../branches/pace.ts';
import type { Environment } from '../model/environment.ts';
import type { OperationKind } from '../model/operation.ts';
import { referenceName } from '../model/reference.ts';
import { writtenCells } from '../state/written-cells.ts';
import type { BackwardJournal, BackwardStep } from '../values/blame/backwards.ts';
import { CellIndex, type SoughtCell } from '../values/blame/cell-index.ts';
import { identityOf } from './cell-entries.ts';
import type { ComparedStates } from './diffs.ts';
import type { DiffEntry } from './entry.ts';

export interface OriginParts {
  readonly journal: Pick<BackwardJournal, 'steps'>;
  readonly environment: Environment;
  /** Operations that one page looks at, about. */
  readonly operationsMost: number;
}

/** The operation that made a cell what it is. */
export interface CellOrigin {
  readonly by: string;
  readonly at: string;
  readonly cause: 'edited' | 'moved';
}

/** The last operation of a branch that was there before. */
type HeldOf = (branchNo: number) => number;

/** Kinds that take what stands in cells elsewhere. */
const moving: ReadonlySet<OperationKind> = new Set([
  'range.move',
  'range.insert',
  'range.delete',
  'range.sort',
]);

/** Who changed what, for those who put a diff into words. */
export type Attribution = Pick<Origins, 'newPace'> & Partial<Pick<Origins, 'find'>>;

/** Of what nobody wrote yet there is nobody to be told. */
export function unattributed(environment: Environment): Attribution {
  return { newPace: () => new Pace(environment) };
}

/** Says who changed the cells of a page, where the way back to what both sides share is short. */
export class Origins {
  readonly #parts: OriginParts;

  constructor(parts: OriginParts) {
    this.#parts = parts;
  }

  /** For whoever puts into words what was found. */
  newPace(): Pace {
    return new Pace(this.#parts.environment);
  }

  /** By the place of the entry among those given; those that only `from` changed are not there. */
  async find(
    compared: Pick<ComparedStates, 'to' | 'base' | 'relation'>,
    entries: readonly DiffEntry[],
  ): Promise<ReadonlyMap<number, CellOrigin>> {
    const { to, base, relation } = compared;
    if (!base || relation === 'behind') return new Map();
    const heldOf = (branchNo: number) => (branchNo === base.branchNo ? base.seq : 0);
    return this.ofCells(to, heldOf, indexesOf(entries));
  }

  /** As `find`, of cells by their index; `heldOf` tells what was there before, by branch. */
  async ofCells(
    to: Pick<ComparedStates['to'], 'address' | 'seq'>,
    heldOf: HeldOf,
    indexes: readonly CellIndex[],
  ): Promise<ReadonlyMap<number, CellOrigin>> {
    const found = new Map<number, CellOrigin>();
    if (indexes.length === 0) return found;
    const pace = this.newPace();
    for await (const [step, records] of this.#since(to, heldOf)) {
      for (const record of records) {
        note(record, step, { indexes, found });
        if (pace.isDue) await pace.rest();
      }
      if (indexes.every(({ size }) => size === 0)) break;
    }
    return found;
  }

  /** The journal back to what both sides share, as far as it is within reach. */
  async *#since(
    { address, seq }: Pick<ComparedStates['to'], 'address' | 'seq'>,
    heldOf: HeldOf,
  ): AsyncGenerator<readonly [BackwardStep, readonly JournalRecord[]]> {
    const { workbookId, branchNo } = address;
    let left = this.#parts.operationsMost;
    for await (const step of this.#parts.journal.steps(workbookId, { branchNo, seq })) {
      const { records, next } = step;
      const held = heldOf(step.branchNo);
      const own = records.filter((record) => record.seq > held);
      yield [step, own];
      left -= own.length;
      const isPast = !next || next.seq <= heldOf(next.branchNo);
      if (own.length < records.length || left <= 0 || isPast) return;
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

function note(
  { kind, payload, resolved, seq, writer }: JournalRecord,
  { branch }: BackwardStep,
  into: { readonly indexes: readonly CellIndex[]; readonly found: Map<number, CellOrigin> },
): void {
  const { values } = writtenCells(kind, payload, resolved);
  if (!values) return;
  for (const cells of into.indexes) {
    for (const { index } of cells.take(values)) {
      if (branch === null) continue;
      const cause = moving.has(kind) ? 'moved' : 'edited';
      into.found.set(index, { by: writer, at: referenceName(branch, seq), cause });
    }
  }
}
