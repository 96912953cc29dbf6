import type { Environment } from '../model/environment.ts';
import { asFailure } from '../model/as-failure.ts';
import type { Failure } from '../model/failure.ts';
import type { SocketHandler, Wire } from '../model/socket.ts';
import {
  readMessage,
  type ClientMessage,
  type Hello,
  type PresencePatch,
} from './client-messages.ts';
import { ProtocolFault, type CloseReason } from './close-codes.ts';
import { Frame, readFrame, type Framing } from './frame.ts';
import type { StreamStart } from './greeting.ts';
import { lifeLimits, pressureLimits, socketLimits } from './limits.ts';
import { OpStream, type StreamSink } from './op-stream.ts';
import { Outlet } from './outlet.ts';
import type { OwnSubmission } from './own-submission.ts';
import { OrderedWork } from './ordered-work.ts';
import type { LeaveReason, Presence } from './presence.ts';
import { SocketRates } from './rates.ts';
import type { OpFrame } from './ring.ts';
import type { Member, Room } from './room.ts';
import type { Seat } from './seat.ts';
import { gapMessage, type GapReason } from './server-messages.ts';
import { Submissions, type SubmissionHost } from './submissions.ts';
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
export interface SessionHost extends SubmissionHost {
  readonly environment: Environment;
  readonly isRated: boolean;
  greet(session: Session, hello: Hello): Promise<Greeting>;
  recheck(session: Session, now: number): void;
  left(session: Session, reason: LeaveReason | undefined): void;
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
  readonly #submissions: Submissions;
  /** Work on frames, in the order in which they came. */
  readonly #order: OrderedWork;
  /** Counts hellos, because a new one cancels the one before it. */
  #helloCount = 0;
  /** Time of the next check of the credential, in milliseconds since the epoch. */
  recheckAt: number;
  /** Time up to which the socket is metered, in milliseconds since the epoch. */
  meteredUntil: number;
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
    this.#order = new OrderedWork((error) => this.#fail(error));
    const now = host.environment.elapsed();
    this.#openedAt = now;
    this.#rates = host.isRated ? new SocketRates(now) : undefined;
    const [outlet, rates, order] = [this.outlet, this.#rates, this.#order];
    this.#submissions = new Submissions({ host, seat, outlet, rates, order });
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
    return this.#submissions.unackedCount;
  }

  /**
   * Takes no more submissions, as the credential has been replaced; returns the time since which
   * that is so.
   */
  supersede(now: number, failure: Failure): number {
    this.#submissions.superseded ??= { at: now, failure };
    return this.#submissions.superseded.at;
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
    this.#submissions.stream = this.#stream;
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

  acknowledge(own: OwnSubmission): void {
    this.#submissions.acknowledge(own);
  }

  #handle(message: ClientMessage, byteCount: number, waitMilliseconds: number): void {
    if (message.kind === 'hello') {
      this.#hello(message);
      return;
    }
    if (this.#helloCount === 0) throw new ProtocolFault('malformed', 'the first frame is hello');
    if (this.ownPresence) this.#room?.board.list.seen(this.ownPresence, this.now());
    this.#room?.board.flushSoon();
    if (message.kind === 'submit_ops') this.#submissions.take(message, byteCount, waitMilliseconds);
    else if (waitMilliseconds === 0 && this.#rates?.takePresence() !== false) {
      this.#order.run(() => this.#update(message.presence));
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
    if (hello.writer !== undefined) this.#submissions.writer = hello.writer;
    this.#order.run(async () => {
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
