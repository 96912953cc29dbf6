import type { Environment } from '../model/environment.ts';
import { asFailure } from '../model/as-failure.ts';
import type { Failure } from '../model/failure.ts';
import type { SocketHandler, Wire } from '../model/socket.ts';
import { acknowledgementOf, emptyAnswer, rateLimited, refusalOf } from './acknowledgement.ts';
import {
  readMessage,
  type ClientMessage,
  type Hello,
  type PresencePatch,
  type SubmitOps,
} from './client-messages.ts';
import { ProtocolFault, type CloseReason } from './close-codes.ts';
import { Frame, readFrame, type Framing } from './frame.ts';
import type { StreamStart } from './greeting.ts';
import { lifeLimits, pressureLimits, socketLimits } from './limits.ts';
import { OpStream, type StreamSink } from './op-stream.ts';
import { Outlet } from './outlet.ts';
import { OwnSubmission } from './own-submission.ts';
import type { LeaveReason, Presence } from './presence.ts';
import { SocketRates } from './rates.ts';
import type { OpFrame } from './ring.ts';
import type { Member, Room } from './room.ts';
import type { Seat } from './seat.ts';
import { gapMessage, type GapReason } from './server-messages.ts';
import { defaultWants, streamWants, wantsOf, type Wants } from './wants.ts';

/** The result of a hello. */
export interface Greeting {
  readonly room: Room;
  readonly head: number;
  readonly start: StreamStart;
  readonly presence: Presence;
  /** Makes the snapshot when all is ready, because it lists what is there at that moment. */
  readonly snapshot: () => object;
}

/** The services that all sockets of a process share. */
export interface SessionHost {
  readonly environment: Environment;
  readonly isRated: boolean;
  greet(session: Session, hello: Hello): Promise<Greeting>;
  submit(session: Session, own: OwnSubmission, asked: AskedSubmission): Promise<void>;
  recheck(session: Session, now: number): void;
  left(session: Session, reason: LeaveReason | undefined): void;
  report(step: string, error: unknown): void;
}

export interface AskedSubmission {
  readonly message: SubmitOps;
  readonly writer: string;
  readonly byteCount: number;
}

/** One socket: reads the messages of its client, and sends messages to it. */
export class Session implements SocketHandler, StreamSink, Member {
  readonly seat: Seat;
  readonly outlet: Outlet;
  readonly #host: SessionHost;
  readonly #openedAt: number;
  readonly #rates: SocketRates | undefined;
  #stream: OpStream | undefined;
  #room: Room | undefined;
  /** Set by the first hello, even one that a newer one cancels. */
  ownPresence: Presence | undefined;
  #wants = defaultWants;
  #writer: string;
  /** Number of submissions without an answer. */
  #unackedCount = 0;
  /** The queue of work on frames, in order; undefined when it is empty. */
  #order: Promise<void> | undefined;
  /** Counts hellos, because a new one cancels the one before it. */
  #helloCount = 0;
  /** Time of the next check of the credential, in milliseconds since the epoch. */
  recheckAt: number;
  /** Time up to which the socket is metered, in milliseconds since the epoch. */
  meteredUntil: number;
  /** Set once the credential has been replaced: it cannot write any more. */
  superseded: { readonly at: number; readonly failure: Failure } | undefined;
  isArchived = false;
  #endReason: CloseReason | undefined;
  /**
   * True when the time for a hello was over at the last look. It gets one more look, because the
   * process may have been asleep.
   */
  #isHelloLate = false;

  constructor(host: SessionHost, seat: Seat, framing: Framing) {
    this.#host = host;
    this.seat = seat;
    this.outlet = new Outlet(framing);
    const now = host.environment.elapsed();
    this.#openedAt = now;
    this.#rates = host.isRated ? new SocketRates(now) : undefined;
    this.#writer = seat.principal.userId;
    // The first check, at once, finds when the credential ends.
    this.recheckAt = now;
    this.meteredUntil = now;
  }

  get stream(): OpStream {
    if (!this.#stream) throw new Error('a socket has no stream before its hello');
    return this.#stream;
  }

  get presence(): Presence {
    if (!this.ownPresence) throw new Error('a socket has no presence before its hello');
    return this.ownPresence;
  }

  get room(): Room | undefined {
    return this.#room;
  }

  get wants(): Wants {
    return this.#wants;
  }

  get wantsPresence(): boolean {
    return this.#wants.presence;
  }

  /** Reason for which the service ended the socket; undefined for none. */
  get endReason(): CloseReason | undefined {
    return this.#endReason;
  }

  get unackedCount(): number {
    return this.#unackedCount;
  }

  opened(wire: Wire): void {
    this.outlet.open(wire);
  }

  received(bytes: Uint8Array, isBinary: boolean): void {
    if (this.#endReason !== undefined) return;
    try {
      if (bytes.length > socketLimits.frameBytes) {
        throw new ProtocolFault('tooBig', `a frame has at most ${socketLimits.frameBytes} bytes`);
      }
      const wait = this.#rates?.takeFrame(bytes.length, this.now()) ?? 0;
      this.#handle(
        readMessage(readFrame(bytes, this.outlet.framing, isBinary)),
        bytes.length,
        wait,
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  drained(): void {
    const { outlet } = this;
    if (!outlet.isDrained) return;
    this.#stream?.drained();
    if (!outlet.isBehindPresence || !this.#room || !this.ownPresence) return;
    outlet.isBehindPresence = false;
    this.#room.cells.lookSoon();
    for (const frame of outlet.takeMissed()) outlet.send(frame);
    const changes = this.#room.board.peersOf(this);
    if (changes.length > 0) outlet.send(new Frame({ kind: 'presence_changed', changes }));
  }

  closed(): void {
    this.outlet.closed();
    const isRevoked = this.#endReason === 'credentialEnded' || this.#endReason === 'roleLost';
    this.#host.left(this, isRevoked ? 'revoked' : undefined);
  }

  /** Checks time limits, metering and the credential. */
  look(now: number): void {
    const hasSaidHello = this.#helloCount > 0;
    if (!hasSaidHello && now - this.#openedAt >= lifeLimits.helloMilliseconds) {
      if (this.#isHelloLate) this.end('helloMissing', 'no hello came in 10 seconds');
      this.#isHelloLate = true;
    } else if (now - (this.#stream?.laggingSince ?? now) >= pressureLimits.laggingMilliseconds) {
      this.end('slowConsumer', 'the frames were not taken for 30 seconds');
    } else if (this.#rates?.isAbused(now) === true) {
      this.end('rateAbuse', 'far more came than the rates allow');
    } else if (now >= this.recheckAt) {
      this.recheckAt = now + lifeLimits.recheckMilliseconds;
      this.#host.recheck(this, now);
    }
  }

  end(reason: CloseReason, text: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    this.outlet.end(reason, text);
  }

  /** Joins a room, or starts again in it; nothing is sent until it is released. */
  join(room: Room, sentSeq: number): void {
    this.#room = room;
    const wants = streamWants(this.#wants);
    this.#stream ??= new OpStream(sentSeq, wants, { source: room, sink: this });
    this.#stream.restart(sentSeq, wants);
  }

  follow(frames: readonly OpFrame[]): void {
    const { stream, outlet } = this;
    const [only] = frames;
    if (frames.length === 1 && only && !outlet.isFull) stream.pass(only);
    else outlet.together(() => frames.every((frame) => stream.pass(frame)));
  }

  get isFull(): boolean {
    return this.outlet.isFull;
  }

  send(frame: Frame): void {
    this.outlet.send(frame);
  }

  sendLossy(frame: Frame): boolean {
    return this.outlet.sendLossy(frame);
  }

  tellLeft(sessions: readonly string[], reason: LeaveReason, frame: Frame): void {
    this.outlet.tellLeft(sessions, reason, frame);
  }

  together(send: () => void): void {
    this.outlet.together(send);
  }

  now(): number {
    return this.#host.environment.elapsed();
  }

  gap(reason: GapReason, fromSeq: number, toSeq: number): void {
    const head = Math.max(toSeq, this.#room?.head ?? 0);
    const message = gapMessage({ reason, fromSeq, toSeq, head }, this.seat);
    this.outlet.send(new Frame(message));
  }

  acknowledge({ name, answer, isUnbroken }: OwnSubmission): void {
    if (!answer) return;
    this.#unackedCount--;
    const head = Math.max(this.stream.sentSeq, answer.lastSeq ?? 0);
    this.outlet.send(new Frame(acknowledgementOf(name, { answer, isWhole: isUnbroken, head })));
  }

  #handle(message: ClientMessage, byteCount: number, waitMilliseconds: number): void {
    if (message.kind === 'hello') {
      this.#hello(message);
      return;
    }
    if (this.#helloCount === 0) throw new ProtocolFault('malformed', 'the first frame is hello');
    if (this.ownPresence) this.#room?.board.list.seen(this.ownPresence, this.now());
    this.#room?.board.flushSoon();
    if (message.kind === 'submit_ops') this.#submit(message, byteCount, waitMilliseconds);
    else if (waitMilliseconds === 0 && this.#rates?.takePresence() !== false) {
      this.#inOrder(() => this.#update(message.presence));
    }
  }

  #update(patch: PresencePatch): void {
    const fault = this.#room?.board.update(this, patch);
    if (fault !== undefined) throw new ProtocolFault('malformed', fault);
    if (patch.viewport) this.#room?.cells.lookSoon();
  }

  #hello(hello: Hello): void {
    if (hello.protocol !== 1) {
      throw new ProtocolFault('protocolVersion', 'the protocol has the version 1');
    }
    const count = ++this.#helloCount;
    this.#wants = wantsOf(hello);
    if (hello.writer !== undefined) this.#writer = hello.writer;
    this.#inOrder(async () => {
      // Hellos that come faster than they are answered take no work, but for the newest.
      const isStale = this.ownPresence !== undefined && count !== this.#helloCount;
      const greeting = isStale ? undefined : await this.#host.greet(this, hello);
      this.ownPresence = greeting?.presence ?? this.ownPresence;
      // The end of the socket has cancelled it, or a newer hello, which goes on with the presence.
      if (!this.outlet.isOpen) return;
      if (greeting && count === this.#helloCount) this.#welcome(greeting, hello);
      else if (hello.presence) this.#update(hello.presence);
    });
  }

  #welcome({ room, head, start, presence, snapshot }: Greeting, hello: Hello): void {
    const { stream, outlet } = this;
    presence.leftAt = undefined;
    room.board.list.seen(presence, this.now());
    outlet.together(() => {
      outlet.send(new Frame(snapshot()));
      if (start.kind === 'gap') stream.skip(start.reason, start.fromSeq, head);
    });
    room.enter(this);
    if (hello.presence) this.#update(hello.presence);
    room.board.flushSoon();
    stream.release(start.kind === 'replay' ? start.backlog : []);
  }

  #submit(message: SubmitOps, byteCount: number, waitMilliseconds: number): void {
    const { ops } = message;
    if (waitMilliseconds > 0) {
      this.#refuse(
        message,
        rateLimited(waitMilliseconds, 'Too many frames came from this socket.'),
      );
    } else if (ops.length === 0) {
      this.#inOrder(() => this.#answerPing(message));
    } else if (this.superseded) {
      this.#refuse(message, this.superseded.failure);
    } else if (this.#unackedCount >= socketLimits.unackedSubmissions) {
      const most = socketLimits.unackedSubmissions;
      this.#refuse(message, rateLimited(100, `More than ${most} submissions wait for an answer.`));
    } else {
      const wait = this.#rates?.takeOps(ops.length) ?? 0;
      if (wait > 0) {
        this.#refuse(message, rateLimited(wait, 'Too many operations came from this socket.'));
        return;
      }
      this.#unackedCount++;
      this.#inOrder(() => this.#handIn(message, byteCount));
    }
  }

  #answerPing(message: SubmitOps): void {
    this.stream.advance();
    this.outlet.send(new Frame(emptyAnswer(message, this.stream.sentSeq)));
  }

  /** Resolves when the submission is queued behind earlier ones. */
  async #handIn(message: SubmitOps, byteCount: number): Promise<void> {
    const own = new OwnSubmission(message.submission, this.stream);
    const writer = this.#writer;
    try {
      await this.#host.submit(this, own, { message, writer, byteCount });
    } catch (error) {
      this.failed(own, message, error);
    }
  }

  /** Answers a submission that failed as a whole. */
  failed(own: OwnSubmission, message: SubmitOps, error: unknown): void {
    const failure = asFailure(error);
    if (failure.key === 'internal') this.#host.report('hand in operations of a socket', error);
    this.#unackedCount--;
    own.hasFailed = true;
    if (this.outlet.isOpen) this.#refuse(message, failure);
    this.stream.settled(own);
  }

  #refuse({ submission, ops }: SubmitOps, failure: Failure): void {
    const head = this.#stream?.sentSeq ?? 0;
    this.outlet.send(new Frame(refusalOf(submission, { ops, failure, head })));
  }

  /** Runs work in order, at once when nothing waits. */
  #inOrder(work: () => void | Promise<void>): void {
    const before = this.#order;
    if (before === undefined) {
      const begun = work();
      if (begun === undefined) return;
      this.#wait(begun);
    } else this.#wait(before.then(work));
  }

  #wait(working: Promise<void>): void {
    const done = working
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        if (this.#order === done) this.#order = undefined;
      });
    this.#order = done;
  }

  #fail(error: unknown): void {
    if (error instanceof ProtocolFault) {
      this.end(error.reason, error.message);
      return;
    }
    const failure = asFailure(error);
    if (failure.key !== 'internal') this.end(reasonOf(failure), failure.detail);
    else {
      this.#host.report('serve a socket', error);
      this.end('internal', 'the service made a mistake');
    }
  }
}

/** Returns the reason to close a socket whose hello failed. */
function reasonOf({ key, status }: Failure): CloseReason {
  if (key === 'branchNotFound') return 'branchDeleted';
  return status === 503 ? 'overload' : 'internal';
}
