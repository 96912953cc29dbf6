import type { Commit } from '../branches/commit.ts';
import type { HistoryPage } from '../branches/history.ts';
import type { BranchAddress } from '../branches/journal-store.ts';
import type { JournalRecord } from '../branches/record.ts';
import type { Environment } from '../model/environment.ts';
import { CellWatch, type CellWatchParts, type CellWatcher } from './cell-watch.ts';
import { batchLimits } from './limits.ts';
import { OwnSubmission } from './own-submission.ts';
import { PresenceBoard } from './presence-board.ts';
import type { PresenceNews } from './presence.ts';
import { frameOf, Ring, StreamEntry, type OpFrame } from './ring.ts';
import type { OpStream, StreamSource } from './op-stream.ts';

/** A socket in a room, once it has said hello. */
export interface Member extends CellWatcher {
  readonly stream: OpStream;
  /** Sends frames that it has a right to get now. */
  follow(frames: readonly OpFrame[]): void;
}

export interface RoomParts {
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
  /** Hears who came, changed or left. */
  readonly presenceNews: (news: PresenceNews) => void;
  /** Values at the head of the branch. */
  readonly values: CellWatchParts['values'];
  /** Resolves once what was read of the journal is as safe as what is acknowledged. */
  confirm(): Promise<void>;
  /** Operations after one, from the journal. */
  history(address: BranchAddress, page: { after: number; limit: number }): Promise<HistoryPage>;
}

/** One turn of the thread sends so many frames; a larger room takes several. */
const sendsPerTurn = 2_000;
const pageOperations = 1_000;

/**
 * All sockets of one branch in this process. It hears of each durable batch, closes the holes that
 * a bus may leave from the journal, and hands every operation on, in its order and once.
 */
export class Room implements StreamSource {
  readonly address: BranchAddress;
  readonly branch: string;
  readonly board: PresenceBoard;
  readonly cells: CellWatch;
  readonly #parts: RoomParts;
  readonly #ring = new Ring();
  readonly #members = new Set<Member>();
  /** The last operation that is at hand; undefined before anybody knows. */
  #head: number | undefined;
  /** The last operation that was handed on to those that follow. */
  #flushed = 0;
  #isFlushing = false;
  #cancelFlush: (() => void) | undefined;
  #flushedAt = -Infinity;
  #filling: Promise<void> | undefined;
  /** The head that the journal is known to have. */
  #knownHead = 0;
  /** Nobody is here since then. */
  emptySince: number | undefined;

  constructor(address: BranchAddress, branch: string, parts: RoomParts) {
    this.address = address;
    this.branch = branch;
    this.#parts = parts;
    this.board = new PresenceBoard(parts.environment, parts.presenceNews);
    this.cells = new CellWatch({ ...parts, watchers: () => this.#members });
  }

  get head(): number {
    return this.#head ?? 0;
  }

  get members(): ReadonlySet<Member> {
    return this.#members;
  }

  /** The oldest operation at hand. */
  get oldestSeq(): number {
    return this.#ring.firstSeq;
  }

  between(firstSeq: number, lastSeq: number): readonly StreamEntry[] | undefined {
    return this.#ring.between(firstSeq, lastSeq);
  }

  /** The head as the sequencer has it, between two batches. */
  settleHead(head: number): void {
    if (this.#head === undefined) {
      this.#head = head;
      this.#flushed = head;
      this.cells.begin(head);
    }
    this.reach(head);
  }

  enter(member: Member): void {
    this.emptySince = undefined;
    this.#members.add(member);
    this.board.watch(member);
  }

  leave(member: Member): void {
    this.#members.delete(member);
    this.board.unwatch(member);
    if (this.#members.size === 0) this.emptySince = this.#parts.environment.now();
  }

  hear(commit: Commit): void {
    const head = this.#head;
    if (head === undefined || commit.lastSeq <= head) return;
    if (commit.firstSeq > head + 1 || this.#filling) {
      this.reach(commit.lastSeq);
      noteSenders(commit, head);
      return;
    }
    // Operations of another process may be seen before they are safe.
    if (commit.isForeign === true) this.#fillBy(this.#takeForeign(commit));
    else this.#take(commit, head);
  }

  #take(commit: Commit, head: number): void {
    const hash = commit.hash?.toString('base64url');
    const last = commit.records.length - 1;
    for (const [index, record] of commit.records.entries()) {
      if (record.seq <= head) continue;
      this.#push(record, index === last ? hash : undefined);
    }
    noteSenders(commit, head);
    this.#flushSoon();
  }

  /** The journal has operations up to here, whoever wrote them. */
  reach(head: number): void {
    this.#knownHead = Math.max(this.#knownHead, head);
    if (this.#head === undefined || this.#knownHead <= this.#head || this.#filling) return;
    this.#fillBy(this.#fill());
  }

  #fillBy(filling: Promise<void>): void {
    this.#filling = filling
      .catch((error: unknown) => this.#parts.report('read what other processes wrote', error))
      .finally(() => {
        this.#filling = undefined;
      });
  }

  /** Resolves when what is known of the journal is at hand. */
  async caughtUp(): Promise<void> {
    await this.#filling;
  }

  /** The branch has lost operations that were handed on: what is known of it is void. */
  reset(head: number): void {
    this.#ring.clear();
    this.#head = head;
    this.#flushed = head;
    this.#knownHead = head;
    for (const { stream } of this.#members) stream.skip('branch_reset', 1, head);
  }

  /** Takes a foreign commit: operations that came meanwhile are in the journal by now. */
  async #takeForeign(commit: Commit): Promise<void> {
    this.#knownHead = Math.max(this.#knownHead, commit.lastSeq);
    await this.#parts.confirm();
    this.#take(commit, this.head);
    await this.#fill();
  }

  async #fill(): Promise<void> {
    while (this.#knownHead > this.head) {
      const after = this.head;
      const page = await this.#parts.history(this.address, { after, limit: pageOperations });
      if (page.records.length === 0) return;
      await this.#parts.confirm();
      for (const record of page.records) if (record.seq === this.head + 1) this.#push(record);
      this.#flushSoon();
    }
  }

  #push(record: JournalRecord, hash?: string): void {
    this.#head = record.seq;
    this.#knownHead = Math.max(this.#knownHead, record.seq);
    this.#ring.push(new StreamEntry(record, hash));
    this.cells.note(record);
  }

  /** The first operations after a rest go out at once; what follows waits for company. */
  #flushSoon(): void {
    if (this.#cancelFlush || this.#isFlushing) return;
    const { environment } = this.#parts;
    const rested = environment.now() - this.#flushedAt;
    const delay = Math.max(0, batchLimits.milliseconds - rested);
    this.#cancelFlush = environment.after(Math.min(delay, batchLimits.milliseconds), () => {
      this.#cancelFlush = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const { environment } = this.#parts;
    this.#flushedAt = environment.now();
    const firstSeq = this.#flushed + 1;
    const frames = this.#framesFrom(firstSeq);
    this.#flushed = this.head;
    const members = [...this.#members];
    let next = 0;
    const turn = (): void => {
      const end = Math.min(members.length, next + sendsPerTurn);
      for (; next < end; next++) this.#handOn(members[next], firstSeq, frames);
      if (next < members.length) {
        environment.after(0, turn);
        return;
      }
      this.#isFlushing = false;
      this.#ring.trim(this.#flushed, environment.now());
      // Not before the operations themselves.
      this.cells.lookSoon();
      if (this.#flushed < this.head) this.#flushSoon();
    };
    this.#isFlushing = true;
    turn();
  }

  #handOn(member: Member | undefined, firstSeq: number, frames: readonly OpFrame[]): void {
    if (member === undefined || !this.#members.has(member)) return;
    if (frames.length > 0 && member.stream.follows(firstSeq)) member.follow(frames);
    else member.stream.advance();
  }

  /** None where the ring does not reach back so far: then each takes what it can get. */
  #framesFrom(firstSeq: number): OpFrame[] {
    const frames: OpFrame[] = [];
    for (let next = firstSeq; next <= this.head;) {
      const entries = this.#ring.between(next, this.head);
      if (!entries?.length) return [];
      const frame = frameOf(entries, this.head);
      frames.push(frame);
      next = frame.lastSeq + 1;
    }
    return frames;
  }

  stop(): void {
    this.#cancelFlush?.();
    this.board.stop();
    this.cells.stop();
  }
}

/** Tells each submission of this process which operations became of it. */
function noteSenders({ firstSeq, senders }: Commit, head: number): void {
  for (const [index, sender] of (senders ?? []).entries()) {
    const seq = firstSeq + index;
    if (seq > head && sender instanceof OwnSubmission) sender.note(seq);
  }
}
