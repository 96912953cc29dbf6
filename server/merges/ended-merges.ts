import type { Branches } from '../branches/branches.ts';
import type { Policies } from '../branches/policies.ts';
import type { Environment } from '../model/environment.ts';
import type { Policy } from '../model/policy.ts';
import type { FoundMerge, Look } from './look.ts';
import { mergeInput } from './merge-computer.ts';
import type { MergeFinder } from './merge-finder.ts';
import type { MergeRecord } from './merge-record.ts';
import type { MergeRecords } from './merge-records.ts';
import type { MergeTable } from './sql.ts';
import { carryDeferred, hasDeferred, type DeferralParts } from './units/deferral.ts';

export interface EndedMergeParts extends DeferralParts {
  readonly table: MergeTable;
  readonly branches: Branches;
  readonly policies: Policies;
  readonly records: MergeRecords;
  readonly finder: MergeFinder;
  readonly environment: Environment;
}

const dayMilliseconds = 86_400_000;

/** Records which open merges have ended: applied, without a branch, or expired. */
export class EndedMerges {
  readonly #parts: EndedMergeParts;

  constructor(parts: EndedMergeParts) {
    this.#parts = parts;
  }

  /** Returns merges after recording those that ended. */
  async noted(workbookId: string, found: readonly FoundMerge[]): Promise<readonly FoundMerge[]> {
    const open = found.flatMap(({ record: { id, state } }) => (state === 'open' ? [id] : []));
    if (open.length === 0) return found;
    const [applied, { merge: policy }] = await Promise.all([
      this.#parts.table.appliedAmong(workbookId, open),
      this.#parts.policies.policyOf(workbookId),
    ]);
    return Promise.all(
      found.map(async (look) => {
        if (look.record.state !== 'open') return look;
        const record = await this.note(look, policy, applied.get(look.record.id));
        return { ...look, record };
      }),
    );
  }

  /** Returns a merge after recording its end, if there is one. */
  async note(
    found: FoundMerge,
    { maxOpenDays }: Policy['merge'],
    appliedAt: number | undefined,
  ): Promise<MergeRecord> {
    const { record, names } = found;
    if (appliedAt !== undefined) return this.#noteApplied(found, appliedAt);
    const openDays = (this.#parts.environment.now() - record.createdAt.getTime()) / dayMilliseconds;
    const isThere = names.isThere(record.sourceNo) && names.isThere(record.targetNo);
    if (isThere && openDays <= maxOpenDays) return record;
    const detail = isThere ? `open for more than ${maxOpenDays} days` : 'a branch was deleted';
    const entry = { actor: 'quire', event: 'aborted', detail } as const;
    return this.#parts.records.tryChange(record, { state: 'aborted' }, entry);
  }

  /** Puts the deferred changes of a merge, applied by operation `seq`, on a new branch. */
  async defer(look: Look, seq: number, userId: string): Promise<void> {
    if (!hasDeferred(look.record)) return;
    const { record, names, policy } = look;
    const applied = { record, names, input: mergeInput(look, policy), seq };
    await carryDeferred(applied, userId, this.#parts);
  }

  /** Records that a merge was applied, if its process died right after writing the journal. */
  async #noteApplied(found: FoundMerge, seq: number): Promise<MergeRecord> {
    const { branches, table, environment, finder } = this.#parts;
    const { record } = found;
    const { workbookId, id, revision, targetNo } = record;
    const address = { workbookId, branchNo: targetNo };
    const { records } = await branches.history(address, { after: seq - 1, limit: 1 });
    const payload = records[0]?.payload as { stateHash: string; vector: Record<string, number> };
    const { stateHash, vector } = payload;
    const look = await finder.closed(found);
    await this.defer(look, seq, records[0]?.principalId ?? record.createdBy);
    const entry = { at: records[0]?.at ?? environment.now(), event: 'applied' } as const;
    const timeline = [...record.timeline, { ...entry, actor: records[0]?.principalId ?? 'quire' }];
    const result = { seq, stateHash, vector };
    const change = { workbookId, id, revision, state: 'merged', timeline, result } as const;
    return (await table.update(change)) ?? { ...record, state: 'merged', timeline, result };
  }
}
