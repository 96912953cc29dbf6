import { branchKey, type BranchAddress } from '../branches/journal-store.ts';
import type { Metrics } from '../metrics.ts';
import { pause, type Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { LimitsProfile } from '../model/limits.ts';
import { Repetition } from '../model/repetition.ts';
import type { Principal } from '../model/scope.ts';
import type { WorkbookFacts } from '../workbooks/registry.ts';
import type { Hello } from './client-messages.ts';
import type { CloseReason } from './close-codes.ts';
import type { FarRooms, PresenceWay } from './far-rooms.ts';
import type { Framing } from './frame.ts';
import { Greeter, type GreeterParts } from './greeter.ts';
import type { LeaveReason } from './presence.ts';
import { pressureOf, relieve } from './pressure.ts';
import { Rooms, type RoomsParts } from './rooms.ts';
import { SeatChecks, type SeatCheckParts } from './seat-checks.ts';
import type { Seat } from './seat.ts';
import { Session, type Greeting, type SessionHost } from './session.ts';
import { SocketCaps } from './socket-caps.ts';
import type { AskedSubmission, Submitted } from './submissions.ts';
import { readSubmission } from './submission-reading.ts';

export interface HubParts extends Omit<RoomsParts, 'endSockets'>, Omit<GreeterParts, 'far'> {
  readonly registry: {
    visible(id: string, principal: Principal): Promise<WorkbookFacts>;
    whenChanged(listener: (id: string | undefined) => void): void;
  };
  readonly credentials: SeatCheckParts['credentials'] & {
    whenEnded(listener: (key: string | undefined) => void): void;
  };
  /** Fails as a request would if somebody may not write to a branch. */
  readonly checkWrite: (seat: Seat) => Promise<void>;
  /** Starts the connection to the other processes. */
  readonly presenceBus: PresenceWay & { start(listener: FarRooms): Promise<void> };
  /** Meters sockets against the plan of the person who opened them. */
  readonly usage: { count(userId: string, meter: 'sockets', count?: number): void };
  readonly metrics: Pick<Metrics, 'watchSockets' | 'socketEnds'>;
  /** Bytes that may wait for all sockets of the process together, at most. */
  readonly waitingBytesMost: number;
  readonly profile: LimitsProfile;
  readonly log: { debug(members: object, message: string): void };
}

const lookMilliseconds = 1_000;
const minuteMilliseconds = 60_000;
const stopMilliseconds = 1_500;
const stopLookMilliseconds = 10;

/** All sockets of this process and the rooms they are in. */
export class Hub implements SessionHost {
  /** Name of this part in reports of a stop. */
  readonly name = 'sockets';
  readonly environment: Environment;
  readonly isRated: boolean;
  readonly #parts: HubParts;
  readonly #rooms: Rooms;
  readonly #greeter: Greeter;
  readonly #sessions = new Set<Session>();
  readonly #caps: SocketCaps;
  readonly #checks: SeatChecks;
  readonly #looking: Repetition;
  #isDraining = false;

  constructor(parts: HubParts) {
    this.#parts = parts;
    const { environment, registry, credentials, report, profile } = parts;
    this.environment = environment;
    this.isRated = profile !== 'off';
    this.#caps = new SocketCaps(profile);
    this.#checks = new SeatChecks({ ...parts, roleLost: (session) => this.#roleLost(session) });
    this.#rooms = new Rooms({
      ...parts,
      endSockets: (address, reason, text) => this.#endSockets(address, reason, text),
    });
    this.#greeter = new Greeter({ ...parts, far: this.#rooms.far });
    registry.whenChanged((id) => this.#workbookChanged(id));
    credentials.whenEnded((key) => this.#credentialEnded(key));
    this.#looking = new Repetition({
      environment,
      restMilliseconds: lookMilliseconds,
      step: 'look after the sockets',
      pass: () => this.#look(),
      report,
    });
  }

  async start(): Promise<void> {
    await this.#parts.presenceBus.start(this.#rooms.far);
    this.#looking.start();
    this.#parts.metrics.watchSockets(this);
  }

  get socketCount(): number {
    return this.#sessions.size;
  }

  get roomCount(): number {
    return this.#rooms.count;
  }

  get waitingBytes(): number {
    return pressureOf(this.#sessions);
  }

  /** Opens a session for a seat; fails when there are too many. */
  admit(seat: Seat, framing: Framing): Session {
    if (this.#isDraining) {
      throw new Failure('unavailable', {
        detail: 'The service is about to stop.',
        headers: { 'Retry-After': '1' },
      });
    }
    this.#caps.enter(seat);
    const session = new Session(this, seat, framing);
    this.#sessions.add(session);
    this.#meter(session);
    return session;
  }

  report(step: string, error: unknown): void {
    this.#parts.report(step, error);
  }

  /** Ends all sockets once their submissions are answered. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    await this.#looking.stop();
    const end = this.environment.elapsed() + stopMilliseconds;
    const isWaiting = (): boolean =>
      this.environment.elapsed() < end && [...this.#sessions].some((one) => one.unackedCount > 0);
    while (isWaiting()) {
      await pause(this.environment, stopLookMilliseconds);
    }
    for (const session of this.#sessions) session.end('draining', 'the service stops');
    this.#rooms.stop();
  }

  greet(session: Session, hello: Hello): Promise<Greeting> {
    const { seat } = session;
    const { workbookId, branch, principal } = seat;
    const told = { workbookId, branch, principal: principal.userId, client: hello.client };
    this.#parts.log.debug(told, 'a socket said hello');
    return this.#rooms.arrive(seat, (room) => this.#greeter.greet(room, session, hello));
  }

  async submit(seat: Seat, asked: AskedSubmission): Promise<Submitted> {
    const { branches, checkWrite } = this.#parts;
    const { address, principal } = seat;
    const { message, writer, byteCount, sender } = asked;
    const submission = readSubmission(message, writer);
    await checkWrite(seat);
    const { ops, baseSeq, mode, group } = submission;
    const answering = branches.submit(address, {
      principalId: principal.userId,
      writer: submission.writer ?? writer,
      ops,
      byteCount,
      baseSeq,
      mode,
      group,
      sender,
    });
    return { answering };
  }

  recheck(session: Session, now: number): void {
    void this.#checks.look(session, now);
  }

  left(session: Session, reason: LeaveReason | undefined): void {
    if (!this.#sessions.delete(session)) return;
    this.#parts.metrics.socketEnds.inc({ reason: session.endReason ?? 'closed' });
    this.#caps.leave(session.seat);
    const { room } = session;
    if (!room) return;
    const isMember = room.members.has(session);
    room.leave(session);
    if (!isMember) return;
    const { presence } = session;
    // Another socket may have taken over the presence.
    const isTaken = [...room.members].some((other) => other.presence === presence);
    if (isTaken) return;
    if (reason === undefined) presence.leftAt = this.environment.elapsed();
    else room.board.list.leave(presence, reason);
    room.board.flushSoon();
  }

  /** Meters each minute that begins. */
  #meter(session: Session): void {
    session.meteredUntil += minuteMilliseconds;
    this.#parts.usage.count(session.seat.ownerId, 'sockets');
  }

  async #look(): Promise<void> {
    const now = this.environment.elapsed();
    for (const session of this.#sessions) {
      session.look(now);
      if (now >= session.meteredUntil) this.#meter(session);
    }
    relieve(this.#sessions, this.#parts.waitingBytesMost);
    await this.#rooms.look(now);
  }

  #endSockets(address: BranchAddress, reason: CloseReason, text: string): void {
    const key = branchKey(address);
    for (const session of this.#sessions) {
      if (branchKey(session.seat.address) === key) session.end(reason, text);
    }
  }

  #workbookChanged(id: string | undefined): void {
    this.#rooms.lookAtWorkbook(id);
    for (const session of this.#sessions) {
      if (id === undefined || session.seat.workbookId === id) session.recheckAt = 0;
    }
    this.#recheckDue();
  }

  #credentialEnded(key: string | undefined): void {
    for (const session of this.#sessions) {
      if (key === undefined || session.seat.credentialKey === key) session.recheckAt = 0;
    }
    this.#recheckDue();
  }

  /**
   * Looks again in the next turn of the event loop, when other listeners have dropped cached
   * credentials.
   */
  #recheckDue(): void {
    this.environment.after(0, () => {
      const now = this.environment.elapsed();
      for (const session of this.#sessions) if (session.recheckAt === 0) session.look(now);
    });
  }

  async #roleLost(session: Session): Promise<void> {
    try {
      await this.#rooms.stand([session.seat.address]);
    } catch (error) {
      this.report('look at a branch', error);
    }
    // Not after a purge, when there is no workbook to have a role in.
    session.end('roleLost', 'you have no role in this workbook any more');
  }
}
