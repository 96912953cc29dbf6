import type { Branches } from '../branches/branches.ts';
import type { Environment } from '../model/environment.ts';
import type { Failure } from '../model/failure.ts';
import { archivedMeanwhile, unknownWorkbook } from '../workbooks/registry.ts';
import { closed, mergeNotFound, staleRevision } from './merge-failures.ts';
import type { Approval, MergeRecord, TimelineEntry } from './merge-record.ts';
import type { MergeChange, MergeTable } from './sql.ts';

export type RecordChange = Omit<MergeChange, 'workbookId' | 'id' | 'revision' | 'timeline'>;
export type RecordEntry = Omit<TimelineEntry, 'at'>;

export interface MergeRecordParts {
  readonly table: MergeTable;
  readonly branches: Pick<Branches, 'hashAt'>;
  readonly environment: Pick<Environment, 'now'>;
}

/** Changes stored merges, each time with an entry of the timeline. */
export class MergeRecords {
  readonly #parts: MergeRecordParts;

  constructor(parts: MergeRecordParts) {
    this.#parts = parts;
  }

  /** Changes a merge; fails with `refusal` if it changed or ended meanwhile. */
  async change(
    record: MergeRecord,
    change: RecordChange,
    entry: RecordEntry,
  ): Promise<MergeRecord> {
    const changed = await this.#parts.table.update(this.#changeOf(record, change, entry));
    if (changed) return changed;
    throw await this.refusal(record);
  }

  /** Does as `change`; if another request was faster, returns the record that it left. */
  async tryChange(
    record: MergeRecord,
    change: RecordChange,
    entry: RecordEntry,
  ): Promise<MergeRecord> {
    const { table } = this.#parts;
    const changed = await table.update(this.#changeOf(record, change, entry));
    return changed ?? (await table.find(record.workbookId, record.id)) ?? record;
  }

  /** Lets go of choices that were taken over from earlier merges, and do not go together. */
  forgetChoices(record: MergeRecord): Promise<MergeRecord> {
    const detail = 'choices of earlier merges cannot be carried out here';
    const entry = { actor: 'quire', event: 'refreshed', detail } as const;
    return this.tryChange(record, { choices: new Map() }, entry);
  }

  /** Does as `change`, and adds the approval to the transparency log. */
  async approve(record: MergeRecord, given: Approval, entry: RecordEntry): Promise<MergeRecord> {
    const { table, branches } = this.#parts;
    const { workbookId, targetNo, targetSeq: seq } = record;
    const chainHash = await branches.hashAt({ workbookId, branchNo: targetNo }, seq);
    const approvals = [...record.approvals, given];
    const change = { ...this.#changeOf(record, {}, entry), approvals };
    const changed = await table.approve(change, { seq, chainHash });
    if (changed) return changed;
    throw await this.refusal(record);
  }

  /**
   * Returns the failure of a decision on a merge that ended or changed since it was read, or whose
   * workbook was archived or purged.
   */
  async refusal({ workbookId, id, revision }: MergeRecord): Promise<Failure> {
    const { table } = this.#parts;
    const isArchived = await table.isArchived(workbookId);
    if (isArchived === undefined) return unknownWorkbook();
    if (isArchived) return archivedMeanwhile(workbookId);
    const record = await table.find(workbookId, id);
    if (!record) return mergeNotFound(workbookId, id);
    return record.state === 'open' ? staleRevision(record, revision) : closed(record);
  }

  #changeOf(
    { workbookId, id, revision, timeline }: MergeRecord,
    change: RecordChange,
    entry: RecordEntry,
  ): MergeChange {
    const said = { at: this.#parts.environment.now(), ...entry };
    return { workbookId, id, revision, ...change, timeline: [...timeline, said] };
  }
}
