import type { Transport } from './call.ts';
import type { Acknowledged, Acknowledgement, Applied, Frame, Snapshot } from './frames.ts';
import type { Operation } from './operations.ts';
import { PendingQueue, type Pending } from './pending.ts';
import { Gap, Problem } from './problem.ts';
import { closed, delayOf, finalCodes, voidReasons } from './session-ends.ts';
import type {
  Presence,
  SessionEnd,
  SessionEvents,
  SessionOptions,
  SessionSocket as Socket,
  SessionState,
  SubmissionOptions,
} from './session-options.ts';
import { makeUlid } from './ulid.ts';

/** The calls that a session makes beside its socket. */
type Calls = Pick<Transport, 'url' | 'key' | 'ask'>;

interface Place {
  readonly id: string;
  readonly branch: string;
}

interface Waiter {
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (problem: Problem) => void;
}

const unansweredMost = 16;
const quietMilliseconds = 25_000;
const answerMilliseconds = 10_000;
const open = 1;
const beatPrefix = 'hb-';

/** One branch, live: what is submitted is kept until it is answered, and applied exactly once. */
export class Session {
  /** Opens the same presence again within seconds; undefined before the service has given it. */
  sessionKey: string | undefined;
  readonly #transport: Calls;
  readonly #place: Place;
  readonly #options: SessionOptions;
  readonly #pending: PendingQueue;
  readonly #listeners = new Map<string, Set<(event: never) => void>>();
  readonly #waiters = new Map<string, Waiter>();
  /** Submissions that went out on this socket and have no answer. */
  readonly #sent = new Set<string>();
  #socket: Socket | undefined;
  #state: SessionState = 'connecting';
  #ended: SessionEnd | undefined;
  #seq: number | undefined;
  #hash: string | undefined;
  /** True from a snapshot on: before it nothing is submitted. */
  #isGreeted = false;
  #isHeld = false;
  #attempts = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  private constructor(transport: Calls, place: Place, options: SessionOptions) {
    this.#transport = transport;
    this.#place = place;
    this.#options = options;
    this.#seq = options.lastSeq;
    this.sessionKey = options.sessionKey;
    const name = `quire:${place.id}:${place.branch}:${options.writer ?? ''}`;
    this.#pending = new PendingQueue(options.storage, name);
  }

  /** Resolves at once: what is submitted before the socket is open waits for it. */
  static async open(transport: Calls, place: Place, options: SessionOptions): Promise<Session> {
    const session = new Session(transport, place, options);
    await session.#pending.load();
    void session.#connect();
    return session;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Why the session is closed; undefined while it is not. */
  get ended(): SessionEnd | undefined {
    return this.#ended;
  }

  /** True while nothing is sent until `offerAgain` is called. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The last operation that this session knows of. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** Submissions that have no answer yet. */
  get pending(): readonly Pending[] {
    return this.#pending.items;
  }

  /** Calls the listener at each event; the answer takes it away again. */
  on<Name extends keyof SessionEvents>(
    name: Name,
    listener: (event: SessionEvents[Name]) => void,
  ): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Resolves with what became of the operations, however long there is no connection. */
  async submit(
    ops: readonly Operation[],
    { mode, group, baseSeq = this.#seq }: SubmissionOptions = {},
  ): Promise<Acknowledged> {
    if (this.#state === 'closed') throw closed('The session is closed.');
    const submission = makeUlid();
    const named = ops.map((one) => ({ ...one, id: one.id ?? makeUlid() }));
    const pending = { submission, baseSeq, ops: named, mode, group };
    const answer = new Promise<Acknowledged>((resolve, reject) => {
      this.#waiters.set(submission, { resolve, reject });
    });
    await this.#pending.add(pending);
    this.#offer();
    return answer;
  }

  /** Takes over what another writer of this identity left unanswered, under its name and ids. */
  async adopt(left: readonly Pending[]): Promise<void> {
    for (const one of left) {
      const isKnown = this.pending.some(({ submission }) => submission === one.submission);
      if (!isKnown) await this.#pending.add(one);
    }
    this.#offer();
  }

  /** Gives up what was not sent yet, or was held back. */
  async discard(submission: string): Promise<void> {
    if (this.#sent.has(submission)) return;
    this.#waiters.get(submission)?.reject(closed('It was discarded.'));
    this.#waiters.delete(submission);
    await this.#pending.remove(submission);
  }

  /** Presence is a merge-patch: null takes a member away. */
  present(presence: Presence): void {
    if (this.#isGreeted) this.#send({ kind: 'presence_update', presence });
  }

  /** Has the service tell anew who this is, with which role, and who else is there. */
  refresh(): void {
    if (this.#isGreeted) this.#greet();
  }

  /** Sends what was held back after `ahead`, `diverged` and `branch_reset`. */
  offerAgain(): void {
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
    try {
      const key = base64Url(this.#transport.key ?? '');
      this.#open((await this.#options.authorize?.()) ?? `auth.bearer.${key}`);
    } catch (error) {
      // Without a credential there is no socket: it is tried again as after a cut.
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
    socket.addEventListener('open', () => this.#greet());
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      if (socket === this.#socket) this.#take(JSON.parse(String(data)) as Frame);
    });
    // An error is followed by a close, which says more.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', ({ code, reason }: { code: number; reason: string }) => {
      if (socket === this.#socket) this.#lose(code, reason);
    });
  }

  #greet(): void {
    const { writer, presence, cellActivity = 'none' } = this.#options;
    // Members that are undefined do not go over the wire.
    this.#send({
      kind: 'hello',
      protocol: 1,
      client: { name: 'quire-client', version: '1' },
      lastSeq: this.#seq ?? null,
      writer,
      lastHash: this.#hash,
      sessionKey: this.sessionKey,
      presence,
      want: { ops: true, presence: true, cell_activity: cellActivity, ownOps: 'ack' },
    });
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
        this.#tell('cells', frame);
        break;
      default:
        this.#tell('presence', frame);
    }
  }

  #join(frame: Snapshot): void {
    this.#attempts = 0;
    this.#isGreeted = true;
    this.sessionKey = frame.sessionKey;
    this.#seq ??= frame.head;
    this.#become('live');
    this.#tell('presence', frame);
    this.#offer();
  }

  /** Applies operations; those that were sent before and come again are passed over. */
  #apply({ firstSeq, lastSeq, ops }: Applied): void {
    if (this.#isBeyond(firstSeq) || lastSeq <= (this.#seq ?? 0)) return;
    const news = ops.filter(({ seq }) => seq > (this.#seq ?? 0));
    this.#seq = lastSeq;
    this.#hash = ops.at(-1)?.hash;
    this.#tell('applied', { ops: news, seq: lastSeq });
  }

  #answer(frame: Acknowledgement): void {
    const { submission, status, firstSeq, lastSeq, head, retryAfterMs } = frame;
    if (submission.startsWith(beatPrefix)) {
      this.#waiters.get(submission)?.resolve(frame);
      this.#waiters.delete(submission);
      if (head > (this.#seq ?? 0)) this.#greet();
      return;
    }
    this.#sent.delete(submission);
    if (retryAfterMs !== undefined && status === 'rejected') {
      setTimeout(() => this.#offer(), retryAfterMs);
      return;
    }
    // It stands for the own operations at its place; a repeat stands for nothing new.
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
    const { submission } = answer;
    const waiter = this.#waiters.get(submission);
    this.#waiters.delete(submission);
    this.#tell('acknowledged', answer);
    await this.#pending.remove(submission);
    waiter?.resolve(answer);
    this.#offer();
  }

  /** True where operations are missing before this one: they are asked for again. */
  #isBeyond(firstSeq: number): boolean {
    if (this.#seq === undefined || firstSeq <= this.#seq + 1) return false;
    this.#greet();
    return true;
  }

  #skip(gap: Gap): void {
    if (voidReasons.includes(gap.reason)) this.#isHeld = true;
    if (gap.reason === 'slow_consumer') this.#become('lagging');
    this.#seq = gap.toSeq;
    this.#hash = undefined;
    this.#tell('gap', gap);
    if (this.#isGreeted) this.#become('live');
  }

  /** Sends what waits, in its order, as much as may be unanswered. */
  #offer(): void {
    if (this.#isHeld || !this.#isGreeted) return;
    for (const { submission, baseSeq, ops, mode, group, writer } of this.#pending.items) {
      if (this.#sent.size >= unansweredMost) return;
      if (this.#sent.has(submission)) continue;
      this.#sent.add(submission);
      const base = baseSeq ?? this.#seq ?? 0;
      this.#send({ kind: 'submit_ops', submission, baseSeq: base, ops, mode, group, writer });
    }
  }

  #send(frame: object): void {
    if (this.#socket?.readyState !== open) return;
    this.#socket.send(JSON.stringify(frame));
    this.#after(quietMilliseconds, () => this.#beat());
  }

  /** Whoever is not answered any more is not connected any more. */
  #beat(): void {
    const submission = beatPrefix + makeUlid();
    const socket = this.#socket;
    const late = setTimeout(() => {
      this.#waiters.delete(submission);
      if (socket === undefined || socket !== this.#socket) return;
      socket.close();
      this.#lose(1006, '');
    }, answerMilliseconds);
    const done = (): void => clearTimeout(late);
    this.#waiters.set(submission, { resolve: done, reject: done });
    this.#send({ kind: 'submit_ops', submission, ops: [] });
  }

  #lose(code: number, reason: string): void {
    if (this.#state === 'closed') return;
    const wasGreeted = this.#isGreeted;
    this.#isGreeted = false;
    this.#socket = undefined;
    this.#sent.clear();
    if (finalCodes.includes(code)) {
      this.#end(closed(`The service ended the session (${code} ${reason}).`), code);
      return;
    }
    this.#become('offline');
    const wait = delayOf(code, this.#attempts++);
    this.#after(wait, () => void this.#return(wasGreeted));
  }

  /** A handshake that was refused does not say why: a request does. */
  async #return(wasGreeted: boolean): Promise<void> {
    try {
      if (!wasGreeted) {
        const path = { id: this.#place.id };
        await this.#transport.ask('GET', '/v1/workbooks/{id}', { path });
      }
    } catch (error) {
      if (error instanceof Problem && !error.retryable) {
        this.#end(error);
        return;
      }
    }
    if (this.#state === 'offline') await this.#connect();
  }

  #end(problem: Problem, code = 4000 + problem.status): void {
    clearTimeout(this.#timer);
    this.#ended = { code, problem };
    this.#become('closed');
    for (const { reject } of this.#waiters.values()) reject(problem);
    this.#waiters.clear();
  }

  #after(milliseconds: number, then: () => void): void {
    clearTimeout(this.#timer);
    if (this.#state !== 'closed') this.#timer = setTimeout(then, milliseconds);
  }

  #become(state: SessionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#tell('state', state);
  }

  #tell<Name extends keyof SessionEvents>(name: Name, event: SessionEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(event as never);
  }
}

/** Returns an ASCII text as subprotocols carry it: base64url without padding (RFC 4648). */
export function base64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
