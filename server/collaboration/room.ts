import type { Commit } from '../branches/commit.ts';
import type { HistoryPage } from '../branches/history.ts';
import type { BranchAddress } from '../branches/journal-store.ts';
import type { JournalRecord } from '../branches/record.ts';
import type { Environment } from '../model/environment.ts';
import { CellWatch, type CellWatchParts, type CellWatcher } from './cell-watch.ts';
import { Frame } from './frame.ts';
import { batchLimits } from './limits.ts';
import { OwnSubmission } from './own-submission.ts';
import { PresenceBoard } from './presence-board.ts';
import type { CloseReason } from './close-codes.ts';
import type { Presence, PresenceNews } from './presence.ts';
import { frameOf, Ring, StreamEntry, type OpFrame } from './ring.ts';
import type { OpStream, StreamSource } from './op-stream.ts';

/** A socket in a room, after its hello. */
export interface Member extends CellWatcher {
  readonly stream: OpStream;
  /** True when the client was told last that the branch takes no writes. */
  isArchived: boolean;
  send(frame: Frame): void;
  /** Continues its stream. */
  follow(frames: readonly OpFrame[]): void;
  /** Closes the socket. */
  end(reason: CloseReason, text: string): void;
}

export interface RoomParts {
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
  /** Gets news of presences. */
  readonly presenceNews: (news: PresenceNews) => void;
  /** Reads values at the head of the branch. */
  readonly values: CellWatchParts['values'];
  /** Finds written cells at the head of the branch. */
  readonly places: CellWatchParts['places'];
  /** Resolves once what was read of the journal is as durable as what is acknowledged. */
  confirm(): Promise<void>;
  /** Reads operations after a given one from the journal. */
  history(address: BranchAddress, page: { after: number; limit: number }): Promise<HistoryPage>;
}

/** Frames sent in one turn of the event loop. */
const sendsPerTurn = 2_000;
const pageOperations = 1_000;

/**
 * All sockets of one branch in this process. It gets each durable batch, reads batches that the bus
 * missed from the journal, and passes each operation on once and in order.
 */
export class Room implements StreamSource {
  readonly address: BranchAddress;
  readonly branch: string;
  readonly board: PresenceBoard;
  readonly cells: CellWatch;
  readonly #parts: RoomParts;
  readonly #ring = new Ring();
  readonly #members = new Set<Member>();
  /** The last operation in memory; undefined before the head is known. */
  #head: number | undefined;
  /** The last operation that was sent to streams without backlog. */
  #flushed = 0;
  #isFlushing = false;
  #cancelFlush: (() => void) | undefined;
  #flushedAt = -Infinity;
  #filling: Promise<void> | undefined;
  /** The latest known head of the journal. */
  #knownHead = 0;
  /** Time since which the room is empty; undefined when it is not. */
  emptySince: number | undefined;

  readonly openedAt: number;

  constructor(address: BranchAddress, branch: string, parts: RoomParts) {
    this.openedAt = parts.environment.elapsed();
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

  /** The oldest operation in memory. */
  get oldestSeq(): number {
    return this.#ring.firstSeq;
  }

  between(firstSeq: number, lastSeq: number): readonly StreamEntry[] | undefined {
    return this.#ring.between(firstSeq, lastSeq);
  }

  /** Takes the head of the sequencer, between two batches. */
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

  /** Tells clients with presence, once each, that the branch or workbook was archived or restored. */
  stand(isArchived: boolean): void {
    const frame = new Frame({ kind: 'presence_changed', changes: [], archived: isArchived });
    for (const member of this.#members) {
      if (!member.wantsPresence || member.isArchived === isArchived) continue;
      member.isArchived = isArchived;
      member.send(frame);
    }
  }

  leave(member: Member): void {
    this.#members.delete(member);
    this.board.unwatch(member);
    if (this.#members.size === 0) this.emptySince = this.#parts.environment.elapsed();
  }

  /** Ends the sockets that have a presence which another one goes on with. */
  takeOver(presence: Presence, by?: Member): void {
    for (const member of this.#members) {
      if (member === by || member.presence !== presence) continue;
      this.leave(member);
      member.end('takenOver', 'another socket has resumed this session');
    }
  }

  hear(commit: Commit): void {
    const head = this.#head;
    if (head === undefined || commit.lastSeq <= head) return;
    if (commit.firstSeq > head + 1 || this.#filling) {
      this.reach(commit.lastSeq);
      noteSenders(commit, head);
      return;
    }
    // Operations of another process may be visible before they are durable on the standby.
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

  /** Notes that the journal has operations up to a number. */
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

  /** Resolves when all known operations are in memory. */
  async caughtUp(): Promise<void> {
    await this.#filling;
  }

  /** Forgets everything after the branch lost operations that were sent. */
  reset(head: number): void {
    this.#ring.clear();
    this.#head = head;
    this.#flushed = head;
    this.#knownHead = head;
    for (const { stream } of this.#members) stream.skip('branch_reset', 1, head);
  }

  /** Takes a commit of another process; later operations are read from the journal. */
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

  /** Schedules sending: at once after a pause, otherwise after a short wait for more operations. */
  #flushSoon(): void {
    if (this.#cancelFlush || this.#isFlushing) return;
    const { environment } = this.#parts;
    const rested = environment.elapsed() - this.#flushedAt;
    const delay = Math.max(0, batchLimits.milliseconds - rested);
    this.#cancelFlush = environment.after(Math.min(delay, batchLimits.milliseconds), () => {
      this.#cancelFlush = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const { environment } = this.#parts;
    this.#flushedAt = environment.elapsed();
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
      // Cells are sent after their operations.
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

  /**
   * Returns the frames for all; none when the ring does not reach back that far, so each stream
   * sends what it can.
   */
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

/** Tells own submissions which operations they became. */
function noteSenders({ firstSeq, senders }: Commit, head: number): void {
  for (const [index, sender] of (senders ?? []).entries()) {
    const seq = firstSeq + index;
    if (seq > head && sender instanceof OwnSubmission) sender.note(seq);
  }
}
