import type { WrittenSnapshot } from '../../history/snapshots.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { checkNewName } from '../../model/new-name.ts';
import type { Principal } from '../../model/scope.ts';
import type { StatementReceipt } from '../../tlog/statements/write-statements.ts';
import type { Branches } from '../branches.ts';
import type { BranchAddress } from '../journal-store.ts';
import type { Flushed, Flusher } from './flush.ts';
import type { CommitTable } from './sql.ts';
import { writtenSeq } from '../written-seq.ts';

export interface CommitParts {
  readonly table: CommitTable;
  readonly branches: Branches;
  readonly flusher: Flusher;
  readonly environment: Pick<Environment, 'checkpoint'>;
}

interface NamedPosition {
  readonly message: string;
  readonly tag: string | undefined;
  readonly writer: string | undefined;
}

export interface CommitRequest extends NamedPosition {
  /** Id of a request that may be sent again: its operation is written once. */
  readonly runId?: string | undefined;
}

/** A named position with its hashes, in hex. */
export interface Commit extends NamedPosition {
  readonly seq: number;
  readonly head: number;
  readonly stateHash: string;
  readonly chainHash: string;
  readonly sealedSeq: number;
  /** Receipt that proves it by the transparency log. */
  readonly receipt: StatementReceipt;
}

export interface Checkpoint {
  readonly flushed: Flushed;
  readonly snapshot: WrittenSnapshot;
}

/** Names positions and makes them last: flush, checkpoint, commit. */
export class Commits {
  readonly #parts: CommitParts;

  constructor(parts: CommitParts) {
    this.#parts = parts;
  }

  flush(address: BranchAddress): Promise<Flushed> {
    return this.#parts.flusher.flush(address);
  }

  /** Flushes the branch, and stores its state so that it wakes from there. */
  async checkpoint(address: BranchAddress): Promise<Checkpoint> {
    const { branches, flusher, environment } = this.#parts;
    const flushed = await flusher.flush(address);
    await environment.checkpoint?.('checkpoint.flushed');
    return { flushed, snapshot: await branches.snapshot(address) };
  }

  /** Appends the commit, then flushes through it; resolves when it can be found again for good. */
  async commit(
    address: BranchAddress,
    request: CommitRequest,
    { userId }: Principal,
  ): Promise<Commit> {
    const { table, flusher, environment } = this.#parts;
    const { message, tag, writer, runId } = request;
    const { workbookId } = address;
    if (tag !== undefined) checkNewName(tag, 'tag');
    const isFree = tag === undefined || (await table.reserve(workbookId, tag, runId));
    if (tag !== undefined && !isFree) throw tagTaken(tag);
    await environment.checkpoint?.('commit.reserved');
    let seq: number;
    let head: number;
    try {
      ({ seq, head } = await this.#append(address, request, { userId, writer: writer ?? userId }));
    } catch (error) {
      // An append whose fate is unknown may have taken the tag; in that case nothing is released.
      if (tag !== undefined) await table.release(workbookId, tag);
      throw error;
    }
    await environment.checkpoint?.('commit.appended');
    const { sealedSeq } = await flusher.flush(address);
    await environment.checkpoint?.('commit.flushed');
    const hashes = await this.#hash(address, seq);
    await environment.checkpoint?.('commit.hashed');
    return { message, tag, writer, seq, head, ...hashes, sealedSeq };
  }

  /** Notes the hashes of commits whose process ended before it could. */
  async finish(address: BranchAddress): Promise<void> {
    for (const seq of await this.#parts.table.unhashed(address)) await this.#hash(address, seq);
  }

  async #hash(
    address: BranchAddress,
    seq: number,
  ): Promise<Pick<Commit, 'stateHash' | 'chainHash' | 'receipt'>> {
    const { table, branches } = this.#parts;
    const stateHash = await branches.readAt(address, seq, (state) => state.stateHash());
    const chainHash = await branches.hashAt(address, seq);
    const hashes = { seq, stateHash: Buffer.from(stateHash, 'hex'), chainHash };
    const receipt = await table.noteHashes(address, hashes);
    if (!receipt) throw new Failure('notFound', { detail: 'The workbook was removed meanwhile.' });
    return { stateHash, chainHash: chainHash.toString('hex'), receipt };
  }

  async #append(
    address: BranchAddress,
    { message, tag, runId }: CommitRequest,
    { userId, writer }: { userId: string; writer: string },
  ): Promise<{ seq: number; head: number }> {
    const payload = { message, ...(tag !== undefined && { tag }) };
    const answer = await this.#parts.branches.submit(address, {
      principalId: userId,
      writer,
      ops: [{ ...(runId !== undefined && { id: runId }), kind: 'commit', payload }],
      byteCount: message.length,
    });
    return { seq: writtenSeq(answer), head: answer.head };
  }
}

function tagTaken(tag: string): Failure {
  return new Failure('tagTaken', {
    detail: `The workbook has a commit with the tag ${tag} already.`,
    hint: 'Choose another tag, or leave it out. GET /v1/workbooks/{id}/commits lists them.',
  });
}
