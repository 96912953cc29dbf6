import type { Transport } from './call.ts';
import type {
  Acknowledged,
  Acknowledgement,
  Activity,
  Applied,
  AppliedOperation,
  Frame,
  PresenceNews,
  Snapshot,
} from './frames.ts';
import type { Operation } from './operations.ts';
import { PendingQueue, type Pending, type Storage } from './pending.ts';
import { Gap, Problem } from './problem.ts';
import { makeUlid } from './ulid.ts';

export type SessionState = 'connecting' | 'live' | 'offline' | 'lagging' | 'closed';

/** The socket a session needs: that of browsers and of Node 22, and npm's `ws`. */
interface Socket {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(name: string, listener: (event: never) => void): void;
}

export interface SessionOptions {
  /** Names one writer among the writers of this identity. */
  readonly writer?: string;
  /** The last operation that the caller has; what came after it is sent first. */
  readonly lastSeq?: number;
  /** Keeps what is unanswered over a restart. */
  readonly storage?: Storage;
  /** On Node 18 and 20, which have none of their own: that of the package `ws`. */
  readonly WebSocket?: new (address: string, protocols: string[]) => object;
  readonly presence?: Presence;
  /** Cells of the viewport that come to another value; `all` tells of others, too. */
  readonly cellActivity?: 'viewport' | 'all' | 'none';
}

interface Place {
  readonly id: string;
  readonly branch: string;
}

export type Presence = Readonly<Record<string, unknown>>;

interface Events {
  state: SessionState;
  /** Operations of others, in the addresses of the position before each. */
  applied: { readonly ops: readonly AppliedOperation[]; readonly seq: number };
  /** Own operations, at their place. */
  acknowledged: Acknowledgement;
  gap: Gap;
  presence: Snapshot | PresenceNews;
  cells: Activity;
}

interface Waiter {
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (problem: Problem) => void;
}

const unansweredMost = 16;
const quietMilliseconds = 25_000;
const answerMilliseconds = 10_000;
const firstDelayMilliseconds = 250;
const longestDelayMilliseconds = 10_000;
const overloadedMilliseconds = 30_000;
/** Codes after which trying again would end the same way. */
const finalCodes = [1000, 4400, 4401, 4403, 4404, 4409, 4410, 4426];
/** Gaps after which nothing that waits may be sent unless somebody says so. */
const voidReasons = ['ahead', 'diverged', 'branch_reset'];
const open = 1;
const beatPrefix = 'hb-';

/** One branch, live: what is submitted is kept until it is answered, and applied exactly once. */
export class Session {
  readonly #transport: Transport;
  readonly #place: Place;
  readonly #options: SessionOptions;
  readonly #pending: PendingQueue;
  readonly #listeners = new Map<string, Set<(event: never) => void>>();
  readonly #waiters = new Map<string, Waiter>();
  /** Submissions that went out on this socket and have no answer. */
  readonly #sent = new Set<string>();
  #socket: Socket | undefined;
  #state: SessionState = 'connecting';
  #seq: number | undefined;
  #hash: string | undefined;
  #sessionKey: string | undefined;
  /** True from a snapshot on: before it nothing is submitted. */
  #isGreeted = false;
  #isHeld = false;
  #attempts = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  private constructor(transport: Transport, place: Place, options: SessionOptions) {
    this.#transport = transport;
    this.#place = place;
    this.#options = options;
    this.#seq = options.lastSeq;
    const name = `quire:${place.id}:${place.branch}:${options.writer ?? ''}`;
    this.#pending = new PendingQueue(options.storage, name);
  }

  /** Resolves at once: what is submitted before the socket is open waits for it. */
  static async open(transport: Transport, place: Place, options: SessionOptions): Promise<Session> {
    const session = new Session(transport, place, options);
    await session.#pending.load();
    session.#connect();
    return session;
  }

  get state(): SessionState {
    return this.#state;
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
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Resolves with what became of the operations, however long there is no connection. */
  async submit(
    ops: readonly Operation[],
    { mode, group }: Pick<Pending, 'mode' | 'group'> = {},
  ): Promise<Acknowledged> {
    if (this.#state === 'closed') throw closed('The session is closed.');
    const submission = makeUlid();
    const named = ops.map((one) => ({ ...one, id: one.id ?? makeUlid() }));
    const pending = { submission, baseSeq: this.#seq, ops: named, mode, group };
    const answer = new Promise<Acknowledged>((resolve, reject) => {
      this.#waiters.set(submission, { resolve, reject });
    });
    await this.#pending.add(pending);
    this.#offer();
    return answer;
  }

  /** Presence is a merge-patch: null takes a member away. */
  present(presence: Presence): void {
    if (this.#isGreeted) this.#send({ kind: 'presence_update', presence });
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

  #connect(): void {
    const WebSocket = this.#options.WebSocket ?? globalThis.WebSocket;
    const { id, branch } = this.#place;
    const base = this.#transport.url.replace(/^http/, 'ws');
    const query = new URLSearchParams({ branch }).toString();
    const address = `${base}/v1/workbooks/${encodeURIComponent(id)}/ws?${query}`;
    const key = base64Url(this.#transport.key ?? '');
    this.#become('connecting');
    const socket = new WebSocket(address, ['workbook.v1.json', `auth.bearer.${key}`]) as Socket;
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
      sessionKey: this.#sessionKey,
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
    this.#sessionKey = frame.sessionKey;
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
    await this.#pending.remove(submission);
    this.#tell('acknowledged', answer);
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
    for (const { submission, baseSeq, ops, mode, group } of this.#pending.items) {
      if (this.#sent.size >= unansweredMost) return;
      if (this.#sent.has(submission)) continue;
      this.#sent.add(submission);
      const base = baseSeq ?? this.#seq ?? 0;
      this.#send({ kind: 'submit_ops', submission, baseSeq: base, ops, mode, group });
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
      this.#end(closed(`The service ended the session (${code} ${reason}).`));
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
        await this.#transport.call('GET', '/v1/workbooks/{id}', { path });
      }
    } catch (error) {
      if (error instanceof Problem && !error.retryable) {
        this.#end(error);
        return;
      }
    }
    if (this.#state === 'offline') this.#connect();
  }

  #end(problem: Problem): void {
    clearTimeout(this.#timer);
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

  #tell<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(event as never);
  }
}

function closed(detail: string): Problem {
  return new Problem({ code: 'closed', status: 0, detail, hint: 'Open another session.' });
}

function delayOf(code: number, attempts: number): number {
  if (code === 4429) return overloadedMilliseconds * (1 + Math.random());
  if (code === 1001) return Math.random() * 5_000;
  return Math.random() * Math.min(firstDelayMilliseconds * 2 ** attempts, longestDelayMilliseconds);
}

function base64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
