import { base64Url } from './base64-url.ts';
import type { Frame } from './frames.ts';
import { Problem } from './problem.ts';
import { closed, delayOf, finalCodes, waits } from './session-ends.ts';
import type {
  SessionCalls,
  SessionOptions,
  SessionPlace,
  SessionSocket as Socket,
} from './session-options.ts';
import { makeUlid } from './ulid.ts';

const open = 1;
const beatPrefix = 'hb-';

interface ConnectionEvents {
  readonly onState: (state: 'connecting' | 'offline') => void;
  /** Called when a socket is open, and after that once for each of its messages. */
  readonly onOpen: () => void;
  readonly onFrame: (frame: Frame) => void;
  /** Called when a socket is lost, before it is known whether another one follows. */
  readonly onLost: () => void;
  /** Called when no other socket follows. */
  readonly onEnd: (problem: Problem, code?: number) => void;
}

/** The socket of a session, and after its loss the next one, until `end` is called. */
export class SessionConnection {
  readonly #transport: SessionCalls;
  readonly #place: SessionPlace;
  readonly #options: Pick<SessionOptions, 'authorize' | 'WebSocket'>;
  readonly #events: ConnectionEvents;
  #socket: Socket | undefined;
  /** True once the service has greeted this socket: nothing is submitted before. */
  #isGreeted = false;
  /** True after a loss, until the next attempt to connect. */
  #isOffline = false;
  #isEnded = false;
  #attempts = 0;
  /** The attempt to connect that is under way, or was the last one. */
  #attempt: symbol | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The question whether the service still answers, while it does not. */
  #heartbeat: { submission: string; timer: ReturnType<typeof setTimeout> } | undefined;

  constructor(
    transport: SessionCalls,
    place: SessionPlace,
    options: Pick<SessionOptions, 'authorize' | 'WebSocket'>,
    events: ConnectionEvents,
  ) {
    this.#transport = transport;
    this.#place = place;
    this.#options = options;
    this.#events = events;
  }

  get isGreeted(): boolean {
    return this.#isGreeted;
  }

  /** Notes that the service has answered the greeting. */
  greeted(): void {
    this.#attempts = 0;
    this.#isGreeted = true;
    this.#after(waits.quietMilliseconds, () => this.#beat());
  }

  send(frame: object): void {
    if (this.#socket?.readyState !== open) return;
    this.#socket.send(JSON.stringify(frame));
    if (this.#isGreeted) this.#after(waits.quietMilliseconds, () => this.#beat());
  }

  /** Asks whether the service still answers, or connects again at once after a loss. */
  check(): void {
    if (this.#isOffline) void this.#return(true);
    else if (this.#isGreeted && !this.#heartbeat) this.#beat();
  }

  /** Returns whether a submission is a heartbeat, to which this is the answer. */
  isHeartbeat(submission: string): boolean {
    if (!submission.startsWith(beatPrefix)) return false;
    if (this.#heartbeat?.submission === submission) this.#endHeartbeat();
    return true;
  }

  /** Ends the connection: from now on, no socket follows. The last one stays open until `close`. */
  end(): void {
    this.#isEnded = true;
    this.#isOffline = false;
    clearTimeout(this.#timer);
    this.#endHeartbeat();
  }

  close(): void {
    this.#socket?.close(1000);
  }

  async connect(): Promise<void> {
    this.#isOffline = false;
    this.#events.onState('connecting');
    const attempt = this.#begin();
    try {
      const key = base64Url(this.#transport.key ?? '');
      const credential = (await this.#options.authorize?.()) ?? `auth.bearer.${key}`;
      if (attempt === this.#attempt) this.#open(credential);
    } catch (error) {
      if (attempt !== this.#attempt) return;
      // Without a credential there is no socket; another try follows as after a lost connection.
      if (error instanceof Problem && !error.retryable) this.#events.onEnd(error);
      else this.#lose(1006, '');
    }
  }

  #open(credential: string): void {
    if (this.#isEnded) return;
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
      this.#events.onOpen();
    });
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      if (socket === this.#socket) this.#events.onFrame(JSON.parse(String(data)) as Frame);
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
    this.send({ kind: 'submit_ops', submission, ops: [] });
  }

  #endHeartbeat(): void {
    clearTimeout(this.#heartbeat?.timer);
    this.#heartbeat = undefined;
  }

  #lose(code: number, reason: string): void {
    if (this.#isEnded) return;
    const wasGreeted = this.#isGreeted;
    this.#isGreeted = false;
    this.#socket = undefined;
    this.#endHeartbeat();
    this.#events.onLost();
    if (finalCodes.includes(code)) {
      this.#events.onEnd(closed(`The service ended the session (${code} ${reason}).`), code);
      return;
    }
    this.#isOffline = true;
    this.#events.onState('offline');
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
        this.#events.onEnd(error);
      }
    }
    if (!this.#isEnded && attempt === this.#attempt) await this.connect();
  }

  #after(milliseconds: number, then: () => void): void {
    clearTimeout(this.#timer);
    if (!this.#isEnded) this.#timer = setTimeout(then, milliseconds);
  }
}
