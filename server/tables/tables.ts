import type { z } from 'zod';

import type { Branches } from '../branches/branches.ts';
import { tellChanges, type ChangeSource } from '../branches/changes.ts';
import type { BranchAddress } from '../branches/journal-store.ts';
import { readPathReference, type Place } from '../branches/place.ts';
import type { Policies } from '../branches/policies.ts';
import type { SubmissionRequest } from '../branches/submission.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Operation } from '../model/operation.ts';
import type { Reference } from '../model/reference.ts';
import type { Principal } from '../model/scope.ts';
import type { BranchState } from '../state/branch-state.ts';
import { tableUsers, type TableUser } from '../state/tables/table-users.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import {
  alterOperations,
  createOperation,
  type alterBody,
  type createBody,
} from './schema-body.ts';
import { lookAt, stillAt, tableIn, type StateSource } from './table-looks.ts';
import { Pace } from '../branches/pace.ts';
import { viewOf, type TableView } from './table-view.ts';
import { onlyResult, submitForTable } from './table-writer.ts';

/** Finds the open merges of a branch that would change a table. */
interface OpenMerges {
  naming(address: BranchAddress, tableId: string): Promise<readonly string[]>;
}

export interface TableParts {
  readonly branches: Branches;
  /** Source of reads; writes go to the branches. */
  readonly source: StateSource;
  readonly registry: WorkbookRegistry;
  readonly policies: Policies;
  readonly models: ChangeSource;
  readonly openMerges: OpenMerges;
  readonly environment: Environment;
}

export interface TableServices {
  readonly tables: Tables;
  readonly registry: Pick<WorkbookRegistry, 'visible'>;
  readonly source: StateSource;
}

/** Target and sender of a write. */
export type Write = Omit<SubmissionRequest, 'ops'> & {
  readonly address: BranchAddress;
  readonly branch: string;
};

interface DropWish {
  readonly table: string;
  readonly ifUnused: boolean;
  readonly keepCells: boolean | undefined;
}

interface Dropped {
  readonly seq: number;
  readonly table: TableView;
  readonly sheetDropped: boolean;
  readonly cellsKept: boolean;
  readonly users: readonly TableUser[];
  readonly errors: readonly { sheet: string; a1: string; error: string }[];
  readonly errorTotal: number | null;
}

/** Creates, changes and drops tables. */
export class Tables {
  readonly #parts: TableParts;

  constructor(parts: TableParts) {
    this.#parts = parts;
  }

  /** Fails if the principal may not write to the branch. */
  async writable(
    { id, branch }: { id: string; branch: string },
    principal: Principal,
  ): Promise<BranchAddress> {
    const { branches, registry, policies } = this.#parts;
    const facts = await registry.writable(id, principal);
    await policies.checkDirectWrite(facts, branch, principal);
    return branches.address(id, branch);
  }

  isFirstOfName(address: BranchAddress): Promise<boolean> {
    return this.#parts.branches.isFirstOfName(address);
  }

  locate(workbookId: string, reference: Reference): Promise<Place> {
    return this.#parts.source.locate(workbookId, reference);
  }

  describe(place: Place, idOrName: string): Promise<{ seq: number; table: TableView }> {
    return lookAt(this.#parts.source, place, function* (state) {
      yield* [];
      return { seq: state.head, table: viewOf(tableIn(state, idOrName), state) };
    });
  }

  async create(write: Write, body: z.output<typeof createBody>) {
    const { branches } = this.#parts;
    const operation = createOperation(body);
    const request = requestOf(write, [operation]);
    const answer = await submitForTable(branches, write.address, {
      request,
      pointerOf: (_, pointer) => pointer,
    });
    const { seq, table } = onlyResult(answer);
    if (seq === undefined) throw new Error('a table was made without an operation');
    const id = table ?? (await this.#tableOf(write.address, seq));
    return this.describe(this.#placeOf(write, seq), id);
  }

  async alter(write: Write, { table, ...body }: { table: string } & z.output<typeof alterBody>) {
    const { branches } = this.#parts;
    const head = await this.#head(write);
    const { table: before } = await this.describe(head, table);
    const wanted = alterOperations(body, before.id);
    const ops = wanted.map(({ operation }) => operation);
    const answer = await submitForTable(branches, write.address, {
      request: { ...requestOf(write, ops), mode: 'atomic' },
      pointerOf: (index, within) => {
        const { pointer = '', base = '' } = wanted[index] ?? {};
        return within === '' ? pointer : base + within;
      },
    });
    const seqs = answer.results.flatMap(({ seq }) => seq ?? []);
    const [firstSeq = answer.head] = seqs;
    const seq = seqs.at(-1) ?? answer.head;
    const { table: after } = await this.describe(this.#placeOf(write, seq), before.id);
    return { firstSeq, seq, table: after };
  }

  async drop(write: Write, { table: idOrName, ifUnused, keepCells }: DropWish): Promise<Dropped> {
    const { branches, models } = this.#parts;
    const head = await this.#head(write);
    const found = await this.#users(head, idOrName);
    const { table, users, ownsSheet, isAlone } = found;
    if (ifUnused) {
      const ids = await this.#parts.openMerges.naming(write.address, table.id);
      const merges = ids.map((id) => ({ kind: 'merge' as const, where: id }));
      const all = [...users, ...merges];
      if (all.length > 0) throw inUse(table.name, all);
    }
    // A table without dependents changes no values.
    const isWatched = users.length > 0;
    if (isWatched) await models.prepare(head);
    const payload = { table: table.id, ...(keepCells !== undefined && { keepCells }) };
    const request = { ...requestOf(write, [{ kind: 'table.drop', payload }]), isWatched };
    const expected = ifUnused ? { expectedHead: write.expectedHead ?? found.seq } : {};
    const answer = await submitForTable(branches, write.address, {
      request: { ...request, ...expected },
      pointerOf: () => '/tid',
    });
    const { seq = answer.head } = onlyResult(answer);
    const cellsKept = keepCells ?? !ownsSheet;
    const told = isWatched ? await this.#errors(write.address, answer.lastSeq) : noErrors;
    return {
      seq,
      table,
      sheetDropped: !cellsKept && ownsSheet && isAlone,
      cellsKept,
      users,
      ...told,
    };
  }

  async #errors(
    address: BranchAddress,
    lastSeq: number | undefined,
  ): Promise<Pick<Dropped, 'errors' | 'errorTotal'>> {
    if (lastSeq === undefined) return unknownErrors;
    const told = await tellChanges(this.#parts.models, { address, lastSeq }, 0);
    if ('unavailable' in told) return unknownErrors;
    const errors = told.errors.map(({ sheet, a1, after }) => {
      return { sheet, a1, error: errorText(after) };
    });
    return { errors, errorTotal: told.errorTotal };
  }

  async #users(place: Place, idOrName: string) {
    const { branches, environment } = this.#parts;
    const state = await stillAt(branches, place);
    const stored = tableIn(state, idOrName);
    const users = await new Pace(environment).run(tableUsers(state, stored));
    const isAlone = state.tables.onSheet(stored.sheetId).length === 1;
    const { ownsSheet } = stored;
    return { seq: state.head, table: viewOf(stored, state), users, ownsSheet, isAlone };
  }

  #head({ address, branch }: Write): Promise<Place> {
    return this.#parts.branches.locate(address.workbookId, readPathReference(branch));
  }

  #placeOf({ address, branch }: Write, seq: number): Place {
    return { address, branch, seq, isPinned: true };
  }

  /** Finds the table that an operation of a repeated request made. */
  async #tableOf(address: BranchAddress, seq: number): Promise<string> {
    const { records } = await this.#parts.branches.history(address, { after: seq - 1, limit: 1 });
    const table = records[0]?.resolved.table;
    if (table === undefined) throw new Error(`operation ${seq} made no table`);
    return table;
  }
}

const noErrors = { errors: [], errorTotal: 0 };
const unknownErrors = { errors: [], errorTotal: null };

function errorText(value: unknown): string {
  return typeof value === 'object' && value !== null && 'error' in value ? String(value.error) : '';
}

function requestOf({ address: _a, branch: _b, ...write }: Write, ops: readonly Operation[]) {
  return { ...write, ops };
}

const namedUsers = 20;

type UserOrMerge = TableUser | { readonly kind: 'merge'; readonly where: string };

function inUse(name: string, users: readonly UserOrMerge[]): Failure {
  const first = users.slice(0, namedUsers).map(({ where }) => where);
  return new Failure('tableInUse', {
    detail: `${name} is named by ${first.join(', ')}${users.length > namedUsers ? ' and others' : ''}.`,
    hint: 'Change what names it, or leave ifUnused out: formulas then say `#REF!`.',
    extra: { users },
  });
}

/** Reads all tables of a position. */
export function readTablesAt(
  source: StateSource,
  place: Place,
): Promise<{ seq: number; tables: TableView[] }> {
  return lookAt(source, place, function* (state: BranchState) {
    yield* [];
    return { seq: state.head, tables: state.tables.all.map((table) => viewOf(table, state)) };
  });
}
