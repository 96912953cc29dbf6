import { helloOf } from './frames.ts';
import type { Acknowledged, Acknowledgement, Applied, Frame, Snapshot } from './frames.ts';
import type { Operation } from './operations.ts';
import { Outbox } from './outbox.ts';
import type { Pending } from './pending.ts';
import { Gap, type Problem } from './problem.ts';
import { SessionConnection } from './session-connection.ts';
import { closed, goesOn, voidReasons } from './session-ends.ts';
import { SessionListeners } from './session-listeners.ts';
import type {
  Presence,
  SessionCalls,
  SessionEnd,
  SessionEvents,
  SessionOptions,
  SessionPlace,
  SessionState,
  SubmissionOptions,
} from './session-options.ts';
import { combinedPatch } from './merge-patch.ts';
import { makeUlid } from './ulid.ts';

/** One branch, live. A submission is kept until it is answered, and applied exactly once. */
export class Session {
  /** Key that continues this presence within seconds; undefined before the service has sent it. */
  sessionKey: string | undefined;
  readonly #options: SessionOptions;
  readonly #outbox: Outbox;
  readonly #listeners = new SessionListeners();
  readonly #connection: SessionConnection;
  #state: SessionState = 'connecting';
  #ended: SessionEnd | undefined;
  #seq: number | undefined;
  #hash: string | undefined;
  /** All that was told of the own presence, as one merge patch, which each greeting repeats. */
  #presence: Presence;
  #isHeld = false;

  private constructor(transport: SessionCalls, place: SessionPlace, options: SessionOptions) {
    this.#options = options;
    this.#seq = options.lastSeq;
    this.#presence = options.presence ?? {};
    this.sessionKey = options.sessionKey;
    const name = `quire:${place.id}:${place.branch}:${options.writer ?? ''}`;
    this.#outbox = new Outbox(options.storage, name);
    this.#connection = new SessionConnection(transport, place, options, {
      onState: (state) => this.#become(state),
      onOpen: () => this.#greet(),
      onFrame: (frame) => this.#take(frame),
      onLost: () => this.#outbox.unsend(),
      onEnd: (problem, code) => this.#end(problem, code),
    });
  }

  /** Opens a session; resolves before the socket is open, for which submissions wait. */
  static async open(
    transport: SessionCalls,
    place: SessionPlace,
    options: SessionOptions,
  ): Promise<Session> {
    const session = new Session(transport, place, options);
    await session.#outbox.load();
    void session.#connection.connect();
    return session;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Reason why the session is closed; undefined while it is open. */
  get ended(): SessionEnd | undefined {
    return this.#ended;
  }

  /** True while submissions wait for `offerAgain`. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Sequence number of the last operation that the session knows. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** Submissions without an answer. */
  get pending(): readonly Pending[] {
    return this.#outbox.pending;
  }

  /** Adds a listener; returns the function that removes it. */
  on<Name extends keyof SessionEvents>(
    name: Name,
    listener: (event: SessionEvents[Name]) => void,
  ): () => void {
    return this.#listeners.add(name, listener);
  }

  /** Submits operations; resolves with their outcome, however long the connection is away. */
  async submit(
    ops: readonly Operation[],
    { mode, group, baseSeq = this.#seq }: SubmissionOptions = {},
  ): Promise<Acknowledged> {
    if (this.#state === 'closed') throw closed('The session is closed.');
    const submission = makeUlid();
    const named = ops.map((one) => ({ ...one, id: one.id ?? makeUlid() }));
    const answer = this.#outbox.answerTo(submission);
    await this.#outbox.add({ submission, baseSeq, ops: named, mode, group });
    this.#offer();
    return answer;
  }

  /** Takes over unanswered submissions of another writer of the identity, with name and ids. */
  async adopt(left: readonly Pending[]): Promise<void> {
    for (const one of left) await this.#outbox.add(one);
    this.#offer();
  }

  /** Drops a submission that was not sent, or was held back. */
  async discard(submission: string): Promise<void> {
    await this.#outbox.discard(submission);
    if (this.pending.length === 0) this.#isHeld = false;
  }

  /** Tells others the presence, as a merge patch: null removes a member. Later sockets tell it, too. */
  present(presence: Presence): void {
    this.#presence = combinedPatch(this.#presence, presence);
    if (this.#connection.isGreeted) this.#connection.send({ kind: 'presence_update', presence });
  }

  /** Requests the own identity, the role and the presence of all others again. */
  refresh(): void {
    if (this.#connection.isGreeted) this.#greet();
  }

  /** Asks whether the service still answers, as after a sleep, or connects again at once. */
  check(): void {
    this.#connection.check();
  }

  /** Sends the submissions that were held back after `ahead`, `diverged` or `branch_reset`. */
  offerAgain(): void {
    // The position for which they were made is of a history that is gone.
    if (this.#isHeld) this.#outbox.rebase(this.#seq);
    this.#isHeld = false;
    this.#offer();
  }

  /** Closes the session; unanswered submissions stay in the storage. */
  close(): void {
    this.#end(closed('The session was closed before there was an answer.'));
    this.#connection.close();
  }

  #greet(): void {
    const { writer, cellActivity = 'none' } = this.#options;
    const known = { lastSeq: this.#seq ?? null, lastHash: this.#hash, writer };
    const present = { sessionKey: this.sessionKey, presence: this.#presence };
    this.#connection.send(helloOf({ ...known, ...present }, cellActivity));
  }

  #take(frame: Frame): void {
    switch (frame.kind) {
      case 'presence_snapshot':
        this.#join(frame);
        break;
      case 'op_applied':
        this.#apply(frame);
        break;
      case 'ack':
        this.#answer(frame);
        break;
      case 'gap':
        this.#skip(new Gap(frame));
        break;
      case 'cell_activity':
        this.#listeners.tell('cells', frame);
        break;
      default:
        this.#listeners.tell('presence', frame);
    }
  }

  #join(frame: Snapshot): void {
    this.#connection.greeted();
    this.sessionKey = frame.sessionKey;
    const isSure = goesOn(frame, { seq: this.#seq, hash: this.#hash });
    this.#seq ??= frame.head;
    this.#become('live');
    this.#listeners.tell('presence', frame);
    if (isSure) this.#offer();
  }

  /** Applies operations, except those that the session has already. */
  #apply({ firstSeq, lastSeq, ops }: Applied): void {
    if (this.#isBeyond(firstSeq) || lastSeq <= (this.#seq ?? 0)) return;
    const news = ops.filter(({ seq }) => seq > (this.#seq ?? 0));
    this.#seq = lastSeq;
    this.#hash = ops.at(-1)?.hash;
    this.#listeners.tell('applied', { ops: news, seq: lastSeq });
  }

  #answer(frame: Acknowledgement): void {
    const { submission, status, firstSeq, lastSeq, head, retryAfterMs } = frame;
    if (this.#connection.isHeartbeat(submission)) {
      if (head > (this.#seq ?? 0)) this.#greet();
      return;
    }
    this.#outbox.unsend(submission);
    if (retryAfterMs !== undefined && status === 'rejected') {
      setTimeout(() => this.#offer(), retryAfterMs);
      return;
    }
    // An acknowledgement replaces the own operations at their place; that of a repetition has none.
    if (firstSeq !== undefined && lastSeq !== undefined && status !== 'duplicate') {
      if (!this.#isBeyond(firstSeq)) this.#passOwn(lastSeq);
    }
    void this.#settle(frame);
  }

  #passOwn(lastSeq: number): void {
    this.#seq = Math.max(this.#seq ?? 0, lastSeq);
    this.#hash = undefined;
  }

  async #settle(answer: Acknowledgement): Promise<void> {
    await this.#outbox.settle(answer, () => this.#listeners.tell('acknowledged', answer));
    this.#offer();
  }

  /** Returns whether operations before this one are missing, and requests them. */
  #isBeyond(firstSeq: number): boolean {
    if (this.#seq === undefined || firstSeq <= this.#seq + 1) return false;
    this.#greet();
    return true;
  }

  #skip(gap: Gap): void {
    if (voidReasons.includes(gap.reason) && this.pending.length > 0) this.#isHeld = true;
    if (gap.reason === 'slow_consumer') this.#become('lagging');
    this.#seq = gap.toSeq;
    this.#hash = undefined;
    this.#listeners.tell('gap', gap);
    if (this.#connection.isGreeted) this.#become('live');
    this.#offer();
  }

  /** Sends waiting submissions in their order, up to the number that may be unanswered. */
  #offer(): void {
    if (this.#isHeld || !this.#connection.isGreeted) return;
    for (const { submission, ops, mode, group, writer, ...pending } of this.#outbox.due()) {
      const baseSeq = pending.baseSeq ?? this.#seq ?? 0;
      this.#connection.send({ kind: 'submit_ops', submission, baseSeq, ops, mode, group, writer });
    }
  }

  #end(problem: Problem, code = 4000 + problem.status): void {
    this.#connection.end();
    this.#ended = { code, problem };
    this.#become('closed');
    this.#outbox.end(problem);
  }

  #become(state: SessionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#listeners.tell('state', state);
  }
}
