import { LRUCache } from 'lru-cache';

import { OperationHashes } from '../../workers/kernel-hashes.ts';
import { boundedTo } from '../model/cache-bounds.ts';
import { makeStatement, type StatementFacts } from '../tlog/leaf/facts.ts';
import { operationsRoot, segmentFacts } from '../tlog/leaf/segment-statement.ts';
import type { WorkbookKey } from '../tlog/leaf/workbook-key.ts';
import { nodeCrypto } from '../tlog/node-crypto.ts';
import { hasher, makeStatementRow, type StatementRow } from '../tlog/statements/statement-row.ts';
import type { StatementTable } from '../tlog/statements/sql.ts';
import {
  branchKey,
  type Append,
  type BranchAddress,
  type BranchRow,
  type JournalStore,
  type MergedPosition,
  type StoredSegment,
} from './journal-store.ts';
import { hashAfter, packedRecords } from './segment.ts';

/** The store of statements about the journal until the log takes them. */
export interface JournalLog {
  readonly statements: Pick<StatementTable, 'key' | 'segmentHash' | 'coveringHash'>;
  /** Wakes the writer of the log. */
  wake(): void;
}

/** Number of cached keys, and of ends of branches. */
const keysMost = 2_000;
const endsMost = 10_000;

/** The last statement about the segments of a branch. */
interface BranchEnd {
  readonly head: number;
  readonly hash: Uint8Array;
}

/**
 * A journal whose segments are in the transparency log too: the append that makes one durable also
 * writes its statement and log entry. Appends compare the head, so the statement before is the one
 * about the segment that ends there, from any process.
 */
export class LoggedJournal implements JournalStore {
  readonly #store: JournalStore;
  readonly #log: JournalLog;
  readonly #hashes = new OperationHashes();
  readonly #keys = new LRUCache<string, WorkbookKey>(boundedTo(keysMost));
  readonly #ends = new LRUCache<string, BranchEnd>(boundedTo(endsMost));

  constructor(store: JournalStore, log: JournalLog) {
    this.#store = store;
    this.#log = log;
  }

  get isStuck(): boolean {
    return this.#store.isStuck;
  }

  async append(append: Append): Promise<boolean> {
    const statements = await this.#state(append);
    const isWritten = await this.#store.append({ ...append, statements });
    const last = statements.findLast(({ kind }) => kind === 'segment');
    if (!isWritten || last === undefined) return isWritten;
    this.#ends.set(branchKey(append), { head: last.lastSeq, hash: last.textHash });
    this.#log.wake();
    return true;
  }

  confirm(): Promise<void> {
    return this.#store.confirm();
  }

  branch(address: BranchAddress): Promise<BranchRow | undefined> {
    return this.#store.branch(address);
  }

  branchNamed(workbookId: string, name: string): Promise<BranchRow | undefined> {
    return this.#store.branchNamed(workbookId, name);
  }

  segments(address: BranchAddress, after: number, through?: number): Promise<StoredSegment[]> {
    return this.#store.segments(address, after, through);
  }

  /** Forgets the key of a workbook. */
  forget(workbookId: string): void {
    this.#keys.delete(workbookId);
  }

  /**
   * Makes the statements about an append; none for a workbook that is gone, at which the append
   * fails.
   */
  async #state(append: Append): Promise<StatementRow[]> {
    const { workbookId, branchNo, expectedHead, segments, at } = append;
    const key = this.#keys.get(workbookId) ?? (await this.#log.statements.key(workbookId));
    if (key === undefined) return [];
    this.#keys.set(workbookId, key);
    const known = this.#ends.get(branchKey(append));
    let previous =
      known?.head === expectedHead
        ? known.hash
        : await this.#log.statements.segmentHash(append, expectedHead);
    const branch = String(branchNo);
    const rows = segments.map((segment) => {
      const { firstSeq, lastSeq, hash } = segment;
      const facts = segmentFacts({
        workbook: workbookId,
        branch,
        firstSeq,
        lastSeq,
        previous,
        operations: this.#rootOf(segment, key, branch),
        chain: hash,
        timeMilliseconds: at,
      });
      const row = makeStatementRow(key, makeStatement(key, facts));
      previous = row.textHash;
      return row;
    });
    for (const merge of append.merges ?? []) {
      const facts = await this.#mergeFacts(append, merge, rows);
      rows.push(makeStatementRow(key, makeStatement(key, facts)));
    }
    return rows;
  }

  #rootOf(
    { firstSeq, lastSeq, body }: StoredSegment,
    key: WorkbookKey,
    branch: string,
  ): Uint8Array {
    const quick = this.#hashes.root({ firstSeq, lastSeq, body }, key.nonceKey(branch));
    if (quick) return quick;
    const operations = packedRecords(body);
    return operationsRoot(nodeCrypto.sha256, key, { branch, firstSeq, lastSeq, operations });
  }

  /**
   * Returns the facts of a merge, which follow the statements about its own segment and the merged
   * one.
   */
  async #mergeFacts(
    { workbookId, branchNo, segments, at }: Append,
    { seq, sourceNo, sourceSeq }: MergedPosition,
    rows: readonly StatementRow[],
  ): Promise<StatementFacts> {
    const index = segments.findIndex(({ lastSeq }) => lastSeq >= seq);
    const [segment, row] = [segments[index], rows[index]];
    if (!segment || !row) throw new Error(`merge ${seq} is in none of the segments`);
    const source = { workbookId, branchNo: sourceNo };
    const merged = await this.#log.statements.coveringHash(source, sourceSeq);
    const count = seq - segment.firstSeq + 1;
    return {
      kind: 'merge',
      workbook: workbookId,
      branch: String(branchNo),
      firstSeq: seq,
      lastSeq: seq,
      previous: [row.textHash, merged],
      operations: hasher.empty(),
      chain: hashAfter(segment.body, segment.previousHash, count) ?? segment.hash,
      state: undefined,
      timeMilliseconds: at,
    };
  }
}
