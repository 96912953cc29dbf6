import type { Branches } from '../branches/branches.ts';
import { branchKey, type BranchAddress } from '../branches/journal-store.ts';
import type { Environment } from '../model/environment.ts';
import type { ViewportValues } from '../values/viewport.ts';
import type { CloseReason } from './close-codes.ts';
import { FarRooms, type PresenceWay } from './far-rooms.ts';
import { lifeLimits } from './limits.ts';
import { Room, type RoomParts } from './room.ts';
import type { Seat } from './seat.ts';
import type { RoomStanding, StandingTable } from './sql.ts';
import { placesIn } from './written-places.ts';

export interface RoomsParts {
  readonly branches: Branches;
  readonly standing: Pick<StandingTable, 'of'>;
  /** Reads values at the head of a branch; undefined for an invalid or too large range. */
  readonly values: (
    branch: { readonly address: BranchAddress; readonly branch: string },
    asked: { readonly sheet: string; readonly range: string; readonly cellsMost: number },
  ) => Promise<ViewportValues | undefined>;
  /** Resolves once what was read of a journal is as durable as what is acknowledged. */
  readonly confirm: () => Promise<void>;
  readonly presenceBus: PresenceWay;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
  /** Ends all sockets of a branch, those outside of its room as well. */
  readonly endSockets: (address: BranchAddress, reason: CloseReason, text: string) => void;
}

/** Cells of a viewport up to which its news has values; clients read larger ones as a slice. */
const viewportCellsMost = 2_048;

/** The open rooms of this process, one for each branch that somebody looks at. */
export class Rooms {
  /** The same rooms in the other processes. */
  readonly far: FarRooms;
  readonly #parts: RoomsParts;
  readonly #rooms = new Map<string, Room>();
  /** Numbers of hellos being answered, by room; such a room is not closed. */
  readonly #arrivals = new Map<Room, number>();
  readonly #unsubscribe: () => void;

  constructor(parts: RoomsParts) {
    this.#parts = parts;
    const { branches, environment } = parts;
    this.far = new FarRooms({
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
  }

  get count(): number {
    return this.#rooms.size;
  }

  /** Does work for a socket that arrives in the room of its branch, which stays open meanwhile. */
  async arrive<Result>(seat: Seat, work: (room: Room) => Promise<Result>): Promise<Result> {
    const room = this.#roomOf(seat);
    this.#arrivals.set(room, (this.#arrivals.get(room) ?? 0) + 1);
    try {
      return await work(room);
    } finally {
      const left = (this.#arrivals.get(room) ?? 1) - 1;
      if (left === 0) this.#arrivals.delete(room);
      else this.#arrivals.set(room, left);
    }
  }

  /** Looks after presences, closes rooms that all have left, and looks at the other branches. */
  async look(now: number): Promise<void> {
    for (const [key, room] of this.#rooms) {
      this.far.look(room.board);
      room.board.look(now);
      const emptyFor = now - (room.emptySince ?? now);
      // That the last one has left is told before, to other processes too.
      const isLeft = room.members.size === 0 && !this.#arrivals.has(room) && !room.board.hasNews;
      if (!isLeft || emptyFor <= lifeLimits.graceMilliseconds) continue;
      room.stop();
      this.#rooms.delete(key);
    }
    await this.stand([...this.#rooms.values()].map(({ address }) => address));
  }

  /** Looks at the branches of a workbook that changed; undefined stands for any. */
  lookAtWorkbook(id: string | undefined): void {
    const rooms = [...this.#rooms.values()].map(({ address }) => address);
    this.#lookAt(rooms.filter(({ workbookId }) => id === undefined || workbookId === id));
  }

  /** Ends the sockets of branches that were deleted, and tells those that were archived. */
  async stand(addresses: readonly BranchAddress[]): Promise<void> {
    if (addresses.length === 0) return;
    for (const standing of await this.#parts.standing.of(addresses)) this.#apply(standing);
  }

  stop(): void {
    for (const room of this.#rooms.values()) room.stop();
    this.far.stop();
    this.#unsubscribe();
  }

  #roomOf({ address, branch }: Seat): Room {
    const key = branchKey(address);
    const known = this.#rooms.get(key);
    if (known) return known;
    const { branches, environment, report, confirm } = this.#parts;
    const history = branches.history.bind(branches);
    const values: RoomParts['values'] = ({ sheet, range }) =>
      this.#parts.values({ address, branch }, { sheet, range, cellsMost: viewportCellsMost });
    const presenceNews: RoomParts['presenceNews'] = (news) => this.far.note(key, news);
    const places: RoomParts['places'] = (written) => branches.read(address, placesIn(written));
    const parts = { environment, report, history, confirm, values, places, presenceNews };
    const room = new Room(address, branch, parts);
    this.#rooms.set(key, room);
    this.far.opened(key);
    return room;
  }

  #lookAt(addresses: readonly BranchAddress[]): void {
    const watched = addresses.filter((address) => this.#rooms.has(branchKey(address)));
    const { report } = this.#parts;
    this.stand(watched).catch((error: unknown) => report('look at branches', error));
  }

  #apply(standing: RoomStanding): void {
    const room = this.#rooms.get(branchKey(standing));
    if (!room) return;
    const { branches, endSockets } = this.#parts;
    const { address } = room;
    if (standing.isPurged) endSockets(address, 'workbookPurged', 'the workbook was purged');
    else if (standing.isDeleted) endSockets(address, 'branchDeleted', 'the branch was deleted');
    else if (standing.head < room.head && !branches.isLive(standing)) {
      room.reset(standing.head);
    } else {
      room.reach(standing.head);
      room.stand(standing.archived);
    }
  }
}
