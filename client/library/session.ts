import { base64Url } from './base64-url.ts';
import { helloOf } from './frames.ts';
import type { Acknowledged, Acknowledgement, Applied, Frame, Snapshot } from './frames.ts';
import type { Operation } from './operations.ts';
import { Outbox } from './outbox.ts';
import type { Pending } from './pending.ts';
import { Gap, Problem } from './problem.ts';
import { closed, delayOf, finalCodes, goesOn, voidReasons, waits } from './session-ends.ts';
import { SessionListeners } from './session-listeners.ts';
import type {
  Presence,
  SessionCalls,
  SessionEnd,
  SessionEvents,
  SessionOptions,
  SessionPlace,
  SessionSocket as Socket,
  SessionState,
  SubmissionOptions,
} from './session-options.ts';
import { combinedPatch } from './merge-patch.ts';
import { makeUlid } from './ulid.ts';

const open = 1;
const beatPrefix = 'hb-';

/** One branch, live. A submission is kept until it is answered, and applied exactly once. */
export class Session {
  /** Key that continues this presence within seconds; undefined before the service has sent it. */
  sessionKey: string | undefined;
  readonly #transport: SessionCalls;
  readonly #place: SessionPlace;
  readonly #options: SessionOptions;
  readonly #outbox: Outbox;
  readonly #listeners = new SessionListeners();
  #socket: Socket | undefined;
  #state: SessionState = 'connecting';
  #ended: SessionEnd | undefined;
  #seq: number | undefined;
  #hash: string | undefined;
  /** All that was told of the own presence, as one merge patch, which each greeting repeats. */
  #presence: Presence;
  /** True once the service has greeted this socket: nothing is submitted before. */
  #isGreeted = false;
  #isHeld = false;
  #attempts = 0;
  /** The attempt to connect that is under way, or was the last one. */
  #attempt: symbol | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The question whether the service still answers, while it does not. */
  #heartbeat: { submission: string; timer: ReturnType<typeof setTimeout> } | undefined;

  private constructor(transport: SessionCalls, place: SessionPlace, options: SessionOptions) {
    this.#transport = transport;
    this.#place = place;
    this.#options = options;
    this.#seq = options.lastSeq;
    this.#presence = options.presence ?? {};
    this.sessionKey = options.sessionKey;
    const name = `quire:${place.id}:${place.branch}:${options.writer ?? ''}`;
    this.#outbox = new Outbox(options.storage, name);
  }

  /** Opens a session; resolves before the socket is open, for which submissions wait. */
  static async open(
    transport: SessionCalls,
    place: SessionPlace,
    options: SessionOptions,
  ): Promise<Session> {
    const session = new Session(transport, place, options);
    await session.#outbox.load();
    void session.#connect();
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
    if (this.#isGreeted) this.#send({ kind: 'presence_update', presence });
  }

  /** Requests the own identity, the role and the presence of all others again. */
  refresh(): void {
    if (this.#isGreeted) this.#greet();
  }

  /** Asks whether the service still answers, as after a sleep, or connects again at once. */
  check(): void {
    if (this.#state === 'offline') void this.#return(true);
    else if (this.#isGreeted && !this.#heartbeat) this.#beat();
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
    this.#socket?.close(1000);
  }

  async #connect(): Promise<void> {
    this.#become('connecting');
    const attempt = this.#begin();
    try {
      const key = base64Url(this.#transport.key ?? '');
      const credential = (await this.#options.authorize?.()) ?? `auth.bearer.${key}`;
      if (attempt === this.#attempt) this.#open(credential);
    } catch (error) {
      if (attempt !== this.#attempt) return;
      // Without a credential there is no socket; another try follows as after a lost connection.
      if (error instanceof Problem && !error.retryable) this.#end(error);
      else this.#lose(1006, '');
    }
  }

  #open(credential: string): void {
    if (this.#state === 'closed') return;
    const WebSocket = this.#options.WebSocket ?? globalThis.WebSocket;
    const { id, branch } = this.#place;
    const base = this.#transport.url.replace(/^http/, 'ws');
    const query = new URLSearchParams({ branch }).toString();
    const address = `${base}/v1/workbooks/${encodeURIComponent(id)}/ws?${query}`;
    const socket = new WebSocket(address, ['workbook.v1.json', credential]) as Socket;
    this.#socket = socket;
    socket.addEventListener('open', () => {
      if (socket !== this.#socket) return;
      this.#begin();
      this.#greet();
    });
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      if (socket === this.#socket) this.#take(JSON.parse(String(data)) as Frame);
    });
    // After an error there is a close event, which says more.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', ({ code, reason }: { code: number; reason: string }) => {
      if (socket === this.#socket) this.#lose(code, reason);
    });
  }

  /** Begins to connect, or to greet; what is not answered within its time is given up. */
  #begin(): symbol {
    const attempt = (this.#attempt = Symbol('attempt'));
    this.#after(waits.handshakeMilliseconds, () => this.#giveUp());
    return attempt;
  }

  /** Takes a connection for lost that nothing comes from. */
  #giveUp(): void {
    this.#attempt = undefined;
    const socket = this.#socket;
    this.#lose(1006, '');
    socket?.close();
  }

  #greet(): void {
    const { writer, cellActivity = 'none' } = this.#options;
    const known = { lastSeq: this.#seq ?? null, lastHash: this.#hash, writer };
    const present = { sessionKey: this.sessionKey, presence: this.#presence };
    this.#send(helloOf({ ...known, ...present }, cellActivity));
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
    this.#attempts = 0;
    this.#isGreeted = true;
    this.#after(waits.quietMilliseconds, () => this.#beat());
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
    if (submission.startsWith(beatPrefix)) {
      if (this.#heartbeat?.submission === submission) this.#endHeartbeat();
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
    if (this.#isGreeted) this.#become('live');
    this.#offer();
  }

  /** Sends waiting submissions in their order, up to the number that may be unanswered. */
  #offer(): void {
    if (this.#isHeld || !this.#isGreeted) return;
    for (const { submission, ops, mode, group, writer, ...pending } of this.#outbox.due()) {
      const baseSeq = pending.baseSeq ?? this.#seq ?? 0;
      this.#send({ kind: 'submit_ops', submission, baseSeq, ops, mode, group, writer });
    }
  }

  #send(frame: object): void {
    if (this.#socket?.readyState !== open) return;
    this.#socket.send(JSON.stringify(frame));
    if (this.#isGreeted) this.#after(waits.quietMilliseconds, () => this.#beat());
  }

  /** Sends a heartbeat, and gives the connection up if it is not answered. */
  #beat(): void {
    const submission = beatPrefix + makeUlid();
    const socket = this.#socket;
    const timer = setTimeout(() => {
      if (socket && socket === this.#socket) this.#giveUp();
    }, waits.answerMilliseconds);
    // The timer of an earlier socket would run on.
    this.#endHeartbeat();
    this.#heartbeat = { submission, timer };
    this.#send({ kind: 'submit_ops', submission, ops: [] });
  }

  #endHeartbeat(): void {
    clearTimeout(this.#heartbeat?.timer);
    this.#heartbeat = undefined;
  }

  #lose(code: number, reason: string): void {
    if (this.#state === 'closed') return;
    const wasGreeted = this.#isGreeted;
    this.#isGreeted = false;
    this.#socket = undefined;
    this.#endHeartbeat();
    this.#outbox.unsend();
    if (finalCodes.includes(code)) {
      this.#end(closed(`The service ended the session (${code} ${reason}).`), code);
      return;
    }
    this.#become('offline');
    const wait = delayOf(code, this.#attempts++);
    this.#after(wait, () => void this.#return(wasGreeted));
  }

  /** Connects again. A refused handshake has no reason, so a request is made to find it. */
  async #return(wasGreeted: boolean): Promise<void> {
    const attempt = this.#begin();
    try {
      if (!wasGreeted) {
        const path = { id: this.#place.id };
        await this.#transport.ask('GET', '/v1/workbooks/{id}', { path });
      }
    } catch (error) {
      if (attempt === this.#attempt && error instanceof Problem && !error.retryable) {
        this.#end(error);
      }
    }
    if (this.#state === 'offline' && attempt === this.#attempt) await this.#connect();
  }

  #end(problem: Problem, code = 4000 + problem.status): void {
    clearTimeout(this.#timer);
    this.#ended = { code, problem };
    this.#become('closed');
    this.#outbox.end(problem);
    this.#endHeartbeat();
  }

  #after(milliseconds: number, then: () => void): void {
    clearTimeout(this.#timer);
    if (this.#state !== 'closed') this.#timer = setTimeout(then, milliseconds);
  }

  #become(state: SessionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#listeners.tell('state', state);
  }
}
