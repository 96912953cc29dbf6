import { LRUCache } from 'lru-cache';

import type { Sql, Statements } from '../storage/postgres.ts';
import { stateApproval, type ApprovalFacts } from '../tlog/statements/write-statements.ts';
import type { GraphBranch, GraphMerge, Position } from './graph.ts';
import type { Approval, MergeRecord } from './merge-record.ts';
import type { Choices } from '../state/outcome/stored-choice.ts';
import { packChoices, unpackChoices, type PackedChoices } from './stored-choices.ts';

export interface NamedBranch extends GraphBranch {
  readonly name: string;
  readonly head: number;
  readonly isDeleted: boolean;
}

export interface AppliedMerge extends GraphMerge {
  readonly mergeId: string;
  readonly sourceNo: number;
  readonly sourceSeq: number;
}

/** The entry of the transparency log for the operation that applied a merge. */
export interface LoggedMerge {
  /** Hash of the leaf in hex. */
  readonly leafHash: string;
  /** Index of the leaf; null until a checkpoint with it is published. */
  readonly tlogIndex: number | null;
}

export type NewMerge = Omit<MergeRecord, 'revision' | 'units' | 'approvals' | 'result'>;

export type MergeChange = Pick<MergeRecord, 'workbookId' | 'id' | 'revision'> &
  Partial<Omit<MergeRecord, 'workbookId' | 'id' | 'revision' | 'createdBy' | 'createdAt'>>;

/** A row of a merge; `server` is the start of the server that it was read from. */
type MergeRow = Omit<MergeRecord, 'choices'> & { readonly server: string };

/** A stored merge; `choices` is null if the cached ones are current. */
type StoredMerge = MergeRow & { readonly choices: PackedChoices[] | null };

/** Choices as they are at a revision, which is counted anew by a server that lacks it. */
interface HeldChoices {
  readonly server: string;
  readonly revision: number;
  readonly choices: Choices;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Applied merges that were read, and how many branches their vectors tell of together. */
interface ReadMerges {
  /** Start of the server that they were read from. */
  readonly server: string;
  readonly merges: readonly AppliedMerge[];
  readonly memberCount: number;
}

/** A row of an applied merge, or the one row that is there without any. */
type ReadMerge = (AppliedMerge | { readonly branchNo: null }) & { readonly server: string };

/** Members of vectors of all workbooks, about 16 bytes each; each merge tells of all before it. */
const heldMembers = 1_000_000;
const heldWorkbooks = 1_000;

/** Number of merges whose choices are cached: there may be a hundred thousand for each. */
const heldChoices = 8;

/**
 * The table of merges. What is kept in memory was read from one start of one server: another may
 * lack merges and choices that the one before it showed and lost, and have others in their places.
 */
export class MergeTable {
  readonly #sql: Sql;
  /** Choices and their revision by id of the merge: the same object until a choice changes. */
  readonly #choices = new LRUCache<string, HeldChoices>({ max: heldChoices });
  /** Applied merges by workbook, which stay as they are while the server does. */
  readonly #applied = new LRUCache<string, ReadMerges>({
    max: heldWorkbooks,
    maxSize: heldMembers,
    sizeCalculation: ({ memberCount }) => memberCount + 1,
  });

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns all branches of a workbook, with deleted ones, which are part of history. */
  branches(workbookId: string): Promise<NamedBranch[]> {
    return this.#sql<NamedBranch[]>`
      select branch_no as "branchNo", name, head, parent_no as "parentNo", fork_seq as "forkSeq",
             deleted_at is not null as "isDeleted"
        from branch where workbook_id = ${workbookId} order by branch_no`;
  }

  /** Returns whether a workbook is archived; undefined if there is none. */
  async isArchived(workbookId: string): Promise<boolean | undefined> {
    const [row] = await this.#sql<{ archived: boolean }[]>`
      select archived from workbook where workbook_id = ${workbookId} and complete`;
    return row?.archived;
  }

  /** Returns whether a position was committed. */
  async isCheckpoint(workbookId: string, { no, seq }: Position): Promise<boolean> {
    const rows = await this.#sql`
      select from branch_commit
       where workbook_id = ${workbookId} and branch_no = ${no} and seq = ${seq}`;
    return rows.length > 0;
  }

  /** Returns the applied merges by branch and sequence, of which only new ones are read. */
  async applied(workbookId: string): Promise<readonly AppliedMerge[]> {
    const known = this.#applied.get(workbookId) ?? { server: '', merges: [], memberCount: 0 };
    const lastSeqs: Record<string, number> = {};
    for (const { branchNo, seq } of known.merges) lastSeqs[branchNo] = seq;
    const rows = await this.#sql<ReadMerge[]>`
      select s.server, m.branch_no as "branchNo", m.seq, m.vector, m.merge_id as "mergeId",
             m.source_no as "sourceNo", m.source_seq as "sourceSeq"
        from (select ${this.#server()} as server) s
        left join branch_merge m
          on m.workbook_id = ${workbookId} and m.vector is not null
             and (s.server <> ${known.server} or m.seq > coalesce(
                  (${json(this.#sql, lastSeqs)}::jsonb ->> m.branch_no::text)::bigint, 0))`;
    const server = rows[0]?.server ?? '';
    const added = rows.flatMap(appliedIn);
    const kept = known.server === server ? known : { merges: [], memberCount: 0 };
    if (added.length === 0) return kept.merges;
    const merges = [...kept.merges, ...added].sort(
      (a, b) => a.branchNo - b.branchNo || a.seq - b.seq,
    );
    const more = added.reduce((sum, { vector }) => sum + Object.keys(vector).length, 0);
    this.#applied.set(workbookId, { server, merges, memberCount: kept.memberCount + more });
    return merges;
  }

  /** Returns the sequence of the operation that applied a merge; undefined if there is none. */
  async appliedAs({ workbookId, id }: Pick<MergeRecord, 'workbookId' | 'id'>) {
    const [row] = await this.#sql<{ seq: number }[]>`
      select seq from branch_merge where workbook_id = ${workbookId} and merge_id = ${id}`;
    return row?.seq;
  }

  /** Returns the sequences of the operations that applied merges, by id of the merge. */
  async appliedAmong(workbookId: string, ids: readonly string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#sql<{ id: string; seq: number }[]>`
      select merge_id as id, seq from branch_merge
       where workbook_id = ${workbookId} and merge_id = any(${[...ids]}::text[])`;
    return new Map(rows.map(({ id, seq }) => [id, seq]));
  }

  /** Returns log entries of applied merges by id. */
  async loggedAmong(
    workbookId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, LoggedMerge>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#sql<(LoggedMerge & { readonly id: string })[]>`
      select m.merge_id as id, encode(s.leaf_hash, 'hex') as "leafHash", e.leaf_index as "tlogIndex"
        from branch_merge m
        join tlog_statement s
          on s.workbook_id = m.workbook_id and s.branch_no = m.branch_no and s.last_seq = m.seq
             and s.kind = 'merge'
        left join tlog_entry e
          on e.leaf_hash = s.leaf_hash
             and e.leaf_index < (select coalesce(max(size), 0) from tlog_signed
                                  where published_at is not null)
       where m.workbook_id = ${workbookId} and m.merge_id = any(${[...ids]}::text[])`;
    return new Map(rows.map(({ id, leafHash, tlogIndex }) => [id, { leafHash, tlogIndex }]));
  }

  /** Stores a merge; undefined if the workbook was archived or purged meanwhile. */
  async insert(merge: NewMerge): Promise<MergeRecord | undefined> {
    const sql = this.#sql;
    const { workbookId, id, state, sourceNo, sourceSeq, sourcePinned, createdBy } = merge;
    const [row] = await sql<MergeRow[]>`
      insert into merge (workbook_id, merge_id, state, source_no, source_seq, source_pinned,
                         target_no, target_seq, created_by, created_at, request, choices,
                         timeline)
      select workbook_id, ${id}, ${state}, ${sourceNo}::int, ${sourceSeq}::bigint,
             ${sourcePinned}::boolean, ${merge.targetNo}::int, ${merge.targetSeq}::bigint,
             ${createdBy}, ${merge.createdAt}::timestamptz, ${json(sql, merge.request)}::jsonb,
             ${json(sql, packChoices(merge.choices))}::jsonb, ${json(sql, merge.timeline)}::jsonb
        from workbook where workbook_id = ${workbookId} and complete and not archived
         for share
      returning ${this.#columns()}, ${this.#server()} as server`;
    if (!row) return undefined;
    return this.#with(row, merge.choices);
  }

  async find(workbookId: string, id: string): Promise<MergeRecord | undefined> {
    const held = this.#choices.get(id);
    const [row] = await this.#sql<StoredMerge[]>`
      select ${this.#columns()}, ${this.#server()} as server,
             case when revision = ${held?.revision ?? null}::int
                   and ${this.#server()} = ${held?.server ?? ''}
                  then null else choices end as choices
        from merge where workbook_id = ${workbookId} and merge_id = ${id}`;
    const choices = row?.choices ? unpackChoices(row.choices) : held?.choices;
    return row && choices && this.#with(row, choices);
  }

  #with({ server, ...row }: MergeRow, choices: Choices): MergeRecord {
    this.#choices.set(row.id, { server, revision: row.revision, choices });
    return { ...row, choices };
  }

  /** Lists merges, the newest first, without their choices, which may be many. */
  async list(workbookId: string, { offset, limit }: Page): Promise<MergeRecord[]> {
    const rows = await this.#sql<Omit<MergeRecord, 'choices'>[]>`
      select ${this.#columns()} from merge
       where workbook_id = ${workbookId}
       order by created_at desc, merge_id desc offset ${offset} limit ${limit}`;
    return rows.map((row) => ({ ...row, choices: new Map() }));
  }

  /** Lists open merges from or into a branch, the oldest first, without their choices. */
  async openOf(workbookId: string, branchNo: number): Promise<MergeRecord[]> {
    const rows = await this.#sql<Omit<MergeRecord, 'choices'>[]>`
      select ${this.#columns()} from merge
       where workbook_id = ${workbookId} and state = 'open'
         and (source_no = ${branchNo} or target_no = ${branchNo})
       order by created_at, merge_id`;
    return rows.map((row) => ({ ...row, choices: new Map() }));
  }

  /** Returns the choices of the latest `count` merges, the newest first. */
  async latestChoices(workbookId: string, count: number): Promise<PackedChoices[][]> {
    const rows = await this.#sql<{ choices: PackedChoices[] }[]>`
      select choices from merge where workbook_id = ${workbookId}
       order by created_at desc, merge_id desc limit ${count}`;
    return rows.map(({ choices }) => choices);
  }

  async count(workbookId: string): Promise<number> {
    const [row] = await this.#sql<{ total: number }[]>`
      select count(*)::int as total from merge where workbook_id = ${workbookId}`;
    return row?.total ?? 0;
  }

  /** Changes a merge; undefined if it changed since the given revision. */
  update(change: MergeChange): Promise<MergeRecord | undefined> {
    return this.#update(this.#sql, change);
  }

  /** Does as `update`, and adds the last approval to the transparency log. */
  async approve(
    change: MergeChange & { readonly approvals: readonly Approval[] },
    target: Pick<ApprovalFacts, 'seq' | 'chainHash'>,
  ): Promise<MergeRecord | undefined> {
    const { workbookId, id, approvals } = change;
    const given = approvals.at(-1);
    if (!given) throw new Error(`nobody approves ${id}`);
    return this.#sql.begin(async (sql) => {
      const record = await this.#update(sql, change);
      if (!record) return undefined;
      const branchNo = record.targetNo;
      await stateApproval(sql, { workbookId, branchNo, ...target, mergeId: id, given });
      return record;
    });
  }

  async #update(sql: Statements, change: MergeChange): Promise<MergeRecord | undefined> {
    const { workbookId, id, revision, state, sourceSeq, targetSeq } = change;
    const optional = (value: unknown) => (value === undefined ? null : json(sql, value));
    const held = this.#choices.get(id);
    const packed = change.choices && packChoices(change.choices);
    const [row] = await sql<MergeRow[]>`
      update merge
         set revision = revision + 1,
             state = coalesce(${state ?? null}, state),
             source_seq = coalesce(${sourceSeq ?? null}::bigint, source_seq),
             target_seq = coalesce(${targetSeq ?? null}::bigint, target_seq),
             choices = coalesce(${optional(packed)}, choices),
             units = coalesce(${optional(change.units)}, units),
             request = coalesce(${optional(change.request)}, request),
             approvals = coalesce(${optional(change.approvals)}, approvals),
             timeline = coalesce(${optional(change.timeline)}, timeline),
             result = coalesce(${optional(change.result)}, result)
       where workbook_id = ${workbookId} and merge_id = ${id} and revision = ${revision}
      returning ${this.#columns()}, ${this.#server()} as server`;
    if (!row) return undefined;
    const isHeld = held?.revision === revision && held.server === row.server;
    const choices = change.choices ?? (isHeld ? held.choices : undefined);
    return choices ? this.#with(row, choices) : this.find(workbookId, id);
  }

  /** The start of the server that answers; a restart has another, and so has another server. */
  #server() {
    return this.#sql`extract(epoch from pg_postmaster_start_time())::text`;
  }

  #columns() {
    return this.#sql`
      workbook_id as "workbookId", merge_id as id, revision, state, source_no as "sourceNo",
      source_seq as "sourceSeq", source_pinned as "sourcePinned", target_no as "targetNo",
      target_seq as "targetSeq", created_by as "createdBy", created_at as "createdAt", request,
      units, approvals, timeline, result`;
  }
}

/** Returns the merge of a row, in a list; an empty one if the row has none. */
function appliedIn(row: ReadMerge): AppliedMerge[] {
  if (row.branchNo === null) return [];
  const { branchNo, seq, vector, mergeId, sourceNo, sourceSeq } = row;
  return [{ branchNo, seq, vector, mergeId, sourceNo, sourceSeq }];
}

/** Makes a JSON parameter of plain data. */
function json(sql: Pick<Sql, 'json'>, value: unknown) {
  return sql.json(value as Parameters<Sql['json']>[0]);
}
