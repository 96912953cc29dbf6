import type { Branches } from '../branches/branches.ts';
import { branchKey, type BranchAddress } from '../branches/journal-store.ts';
import type { Metrics } from '../metrics.ts';
import { pause, type Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { IdentityNames } from '../model/identity-names.ts';
import type { LimitsProfile } from '../model/limits.ts';
import { Repetition } from '../model/repetition.ts';
import type { Principal } from '../model/scope.ts';
import type { ViewportValues } from '../values/viewport.ts';
import type { WorkbookFacts } from '../workbooks/registry.ts';
import type { Hello } from './client-messages.ts';
import { FarRooms, type PresenceWay } from './far-rooms.ts';
import type { Framing } from './frame.ts';
import { startOf } from './greeting.ts';
import { lifeLimits } from './limits.ts';
import type { OwnSubmission } from './own-submission.ts';
import { takePresence } from './presence-taking.ts';
import type { LeaveReason, Presence } from './presence.ts';
import { pressureOf, relieve } from './pressure.ts';
import { Room, type RoomParts } from './room.ts';
import { SeatChecks, type SeatCheckParts } from './seat-checks.ts';
import type { Seat } from './seat.ts';
import { Session, type AskedSubmission, type Greeting, type SessionHost } from './session.ts';
import { snapshotMessage } from './snapshot-message.ts';
import { SocketCaps } from './socket-caps.ts';
import type { RoomStanding, StandingTable } from './sql.ts';
import { readSubmission } from './submission-reading.ts';
import { placesIn } from './written-places.ts';

export interface HubParts {
  readonly branches: Branches;
  readonly registry: {
    visible(id: string, principal: Principal): Promise<WorkbookFacts>;
    whenChanged(listener: (id: string | undefined) => void): void;
  };
  readonly credentials: SeatCheckParts['credentials'] & {
    whenEnded(listener: (key: string | undefined) => void): void;
  };
  readonly standing: Pick<StandingTable, 'of'>;
  readonly names: IdentityNames;
  /** Reads values at the head of a branch; undefined for an invalid or too large range. */
  readonly values: (
    branch: { readonly address: BranchAddress; readonly branch: string },
    asked: { readonly sheet: string; readonly range: string; readonly cellsMost: number },
  ) => Promise<ViewportValues | undefined>;
  /** Fails as a request would if somebody may not write to a branch. */
  readonly checkWrite: (seat: Seat) => Promise<void>;
  /** Resolves once what was read of a journal is as durable as what is acknowledged. */
  readonly confirm: () => Promise<void>;
  /** Starts the connection to the other processes. */
  readonly presenceBus: PresenceWay & { start(listener: FarRooms): Promise<void> };
  /** Meters sockets against the plan of the person who opened them. */
  readonly usage: { count(userId: string, meter: 'sockets', count?: number): void };
  readonly metrics: Pick<Metrics, 'watchSockets' | 'socketEnds'>;
  /** Bytes that may wait for all sockets of the process together, at most. */
  readonly waitingBytesMost: number;
  readonly environment: Environment;
  readonly profile: LimitsProfile;
  readonly nodeId: string;
  readonly report: (step: string, error: unknown) => void;
  readonly log: { debug(members: object, message: string): void };
}

const lookMilliseconds = 1_000;
const minuteMilliseconds = 60_000;
/** Cells of a viewport up to which its news has values; clients read larger ones as a slice. */
const viewportCellsMost = 2_048;
const stopMilliseconds = 1_500;
const stopLookMilliseconds = 10;

/** All sockets of this process and the rooms they are in. */
export class Hub implements SessionHost {
  /** Name of this part in reports of a stop. */
  readonly name = 'sockets';
  readonly environment: Environment;
  readonly isRated: boolean;
  readonly #parts: HubParts;
  readonly #rooms = new Map<string, Room>();
  readonly #sessions = new Set<Session>();
  readonly #caps: SocketCaps;
  readonly #checks: SeatChecks;
  readonly #far: FarRooms;
  readonly #looking: Repetition;
  readonly #unsubscribe: () => void;
  /** Numbers of hellos being answered, by room; such a room is not closed. */
  readonly #arrivals = new Map<Room, number>();
  #isDraining = false;

  constructor(parts: HubParts) {
    this.#parts = parts;
    const { environment, branches, registry, credentials, report, profile } = parts;
    this.environment = environment;
    this.isRated = profile !== 'off';
    this.#caps = new SocketCaps(profile);
    this.#checks = new SeatChecks({ ...parts, roleLost: (session) => this.#roleLost(session) });
    this.#far = new FarRooms({
      way: parts.presenceBus,
      environment,
      boardOf: (key) => this.#rooms.get(key)?.board,
      openRooms: () => this.#rooms.keys(),
      takenOver: (key, presence) => this.#rooms.get(key)?.takeOver(presence),
    });
    this.#unsubscribe = branches.subscribe((commit) => {
      this.#rooms.get(branchKey(commit))?.hear(commit);
    });
    branches.whenForgotten((address) => this.#lookAt([address]));
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
    await this.#parts.presenceBus.start(this.#far);
    this.#looking.start();
    this.#parts.metrics.watchSockets(this);
  }

  get socketCount(): number {
    return this.#sessions.size;
  }

  get roomCount(): number {
    return this.#rooms.size;
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
    for (const room of this.#rooms.values()) room.stop();
    this.#far.stop();
    this.#unsubscribe();
  }

  async greet(session: Session, hello: Hello): Promise<Greeting> {
    const { seat } = session;
    const { workbookId, branch, principal } = seat;
    const told = { workbookId, branch, principal: principal.userId, client: hello.client };
    this.#parts.log.debug(told, 'a socket said hello');
    const room = this.#roomOf(seat);
    this.#arrivals.set(room, (this.#arrivals.get(room) ?? 0) + 1);
    try {
      return await this.#greetIn(room, session, hello);
    } finally {
      const left = (this.#arrivals.get(room) ?? 1) - 1;
      if (left === 0) this.#arrivals.delete(room);
      else this.#arrivals.set(room, left);
    }
  }

  async submit(session: Session, own: OwnSubmission, asked: AskedSubmission): Promise<void> {
    const { branches, checkWrite } = this.#parts;
    const { message, writer, byteCount } = asked;
    const { address, principal } = session.seat;
    const submission = readSubmission(message, writer);
    await checkWrite(session.seat);
    const { ops, baseSeq, mode, group } = submission;
    const answering = branches.submit(address, {
      principalId: principal.userId,
      writer: submission.writer ?? writer,
      ops,
      byteCount,
      baseSeq,
      mode,
      group,
      sender: own,
    });
    // The next submission of the socket may be queued now; the answer follows when it is there.
    void answer(answering);

    async function answer(outcome: typeof answering): Promise<void> {
      try {
        own.answer = await outcome;
      } catch (error) {
        session.failed(own, message, error);
        return;
      }
      session.stream.settled(own);
    }
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

  async #greetIn(room: Room, session: Session, hello: Hello): Promise<Greeting> {
    const { branches, registry } = this.#parts;
    const { seat } = session;
    const { address, workbookId } = seat;
    const { lastSeq = null } = hello;
    const { head, hash } = await branches.read(address, function* (state, live) {
      yield* [];
      room.settleHead(state.head);
      session.join(room, Math.min(lastSeq ?? state.head, state.head));
      return { head: state.head, hash: live.hash.toString('base64url') };
    });
    // Operations of another process may be visible before they are durable on the standby.
    await this.#parts.confirm();
    const start = await startOf(hello, {
      address,
      head,
      oldestSeq: () => room.oldestSeq,
      hashAt: branches.hashAt.bind(branches),
      history: branches.history.bind(branches),
    });
    const facts = await registry.visible(workbookId, seat.principal);
    const archived = facts.archived || (await this.#isArchived(address));
    session.isArchived = archived;
    const took = (taken: Presence): void => this.#far.took(branchKey(address), taken);
    const { userId } = seat.principal;
    const name = (await this.#parts.names.of([userId]))(userId);
    const arrival = { room, session, name, key: hello.sessionKey, took };
    const presence = takePresence(arrival, this.environment);
    const replay = start.kind === 'replay' ? { from: start.fromSeq, to: head } : null;
    const about = { seat, facts, presence, head, headHash: hash, replay, archived };
    const { nodeId: node } = this.#parts;
    const snapshot = (): object =>
      snapshotMessage(about, { board: room.board, node, now: this.environment.now() });
    return { room, head, start, presence, snapshot };
  }

  async #isArchived(address: BranchAddress): Promise<boolean> {
    const [standing] = await this.#parts.standing.of([address]);
    return standing?.archived ?? false;
  }

  #roomOf({ address, branch }: Seat): Room {
    const key = branchKey(address);
    const known = this.#rooms.get(key);
    if (known) return known;
    const { branches, environment, report, confirm } = this.#parts;
    const history = branches.history.bind(branches);
    const values: RoomParts['values'] = ({ sheet, range }) =>
      this.#parts.values({ address, branch }, { sheet, range, cellsMost: viewportCellsMost });
    const presenceNews: RoomParts['presenceNews'] = (news) => this.#far.note(key, news);
    const places: RoomParts['places'] = (written) => branches.read(address, placesIn(written));
    const parts = { environment, report, history, confirm, values, places, presenceNews };
    const room = new Room(address, branch, parts);
    this.#rooms.set(key, room);
    this.#far.opened(key);
    return room;
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
    for (const [key, room] of this.#rooms) {
      this.#far.look(room.board);
      room.board.look(now);
      const emptyFor = now - (room.emptySince ?? now);
      // That the last one has left is told before, to other processes too.
      const isLeft = room.members.size === 0 && !this.#arrivals.has(room) && !room.board.hasNews;
      if (!isLeft || emptyFor <= lifeLimits.graceMilliseconds) continue;
      room.stop();
      this.#rooms.delete(key);
    }
    await this.#stand([...this.#rooms.values()].map(({ address }) => address));
  }

  /** Ends the sockets of branches that were deleted, and tells those that were archived. */
  #lookAt(addresses: readonly BranchAddress[]): void {
    const watched = addresses.filter((address) => this.#rooms.has(branchKey(address)));
    this.#stand(watched).catch((error: unknown) => this.report('look at branches', error));
  }

  async #stand(addresses: readonly BranchAddress[]): Promise<void> {
    if (addresses.length === 0) return;
    for (const standing of await this.#parts.standing.of(addresses)) this.#apply(standing);
  }

  #apply(standing: RoomStanding): void {
    const room = this.#rooms.get(branchKey(standing));
    if (!room) return;
    if (standing.isPurged) this.#endRoom(room, 'workbookPurged', 'the workbook was purged');
    else if (standing.isDeleted) this.#endRoom(room, 'branchDeleted', 'the branch was deleted');
    else if (standing.head < room.head && !this.#parts.branches.isLive(standing)) {
      room.reset(standing.head);
    } else {
      room.reach(standing.head);
      room.stand(standing.archived);
    }
  }

  #endRoom(room: Room, reason: 'workbookPurged' | 'branchDeleted', text: string): void {
    for (const session of this.#sessions) {
      if (branchKey(session.seat.address) === branchKey(room.address)) session.end(reason, text);
    }
  }

  #workbookChanged(id: string | undefined): void {
    const rooms = [...this.#rooms.values()].map(({ address }) => address);
    this.#lookAt(rooms.filter(({ workbookId }) => id === undefined || workbookId === id));
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
      await this.#stand([session.seat.address]);
    } catch (error) {
      this.report('look at a branch', error);
    }
    // Not after a purge, when there is no workbook to have a role in.
    session.end('roleLost', 'you have no role in this workbook any more');
  }
}
