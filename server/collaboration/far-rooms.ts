import type { Environment } from '../model/environment.ts';
import type { PresenceBoard } from './presence-board.ts';
import {
  Presence,
  type LeaveReason,
  type Leaving,
  type PresenceNews,
  type TakenPresence,
} from './presence.ts';
import type { Peer } from './server-messages.ts';

/** Pause between two news of one room, so that processes send at most four a second. */
const restMilliseconds = 250;
/** Time in which the others answer, even one that has lost its connection, too. */
const answerMilliseconds = 5_000;
/** A NOTIFY payload of PostgreSQL has at most 7,999 bytes, including the name of the process. */
const textBytes = 7_500;

/** The connection to the other processes. */
export interface PresenceWay {
  readonly isHeard: boolean;
  isLive(node: string): boolean;
  tell(text: string): void;
}

export interface FarRoomsParts {
  readonly way: PresenceWay;
  readonly environment: Environment;
  /** Returns the people in a local room; undefined for an empty one. */
  readonly boardOf: (room: string) => PresenceBoard | undefined;
  readonly openRooms: () => Iterable<string>;
  /** Called for a presence of this process whose client has come back to another one. */
  readonly takenOver: (room: string, presence: Presence) => void;
}

/** The news of a room that one process sends to the others, as JSON. */
interface RoomNews {
  readonly room: string;
  /** True to ask all others for the people in their room. */
  readonly asks?: true;
  readonly here?: readonly Peer[];
  readonly left?: readonly (readonly [id: string, reason: LeaveReason])[];
  readonly taken?: readonly TakenPresence[];
}

interface Waiting {
  readonly here: Set<Presence>;
  readonly left: Leaving[];
}

/**
 * People in rooms of this process whose sockets are at another process. Each process reports its
 * own people when they come, change or leave, and when another process opens the same room.
 */
export class FarRooms {
  readonly #parts: FarRoomsParts;
  readonly #waiting = new Map<string, Waiting>();
  #cancel: (() => void) | undefined;
  #cancelDoubts: (() => void) | undefined;

  constructor(parts: FarRoomsParts) {
    this.#parts = parts;
  }

  /** Asks the other processes for the people in a room that was opened here. */
  opened(room: string): void {
    this.#tell({ room, asks: true });
  }

  /** Tells the others that a client has come back to this process. */
  took(room: string, presence: Presence): void {
    if (!this.#parts.way.isHeard) return;
    this.#tell({ room, taken: [{ id: presence.id, principal: presence.principal.userId }] });
    this.#waitingOf(room).here.add(presence);
  }

  /** Sends what a room has told its own sockets. */
  note(room: string, { changes, left }: PresenceNews): void {
    if (!this.#parts.way.isHeard) return;
    const waiting = this.#waitingOf(room);
    for (const { presence } of changes)
      if (presence instanceof Presence) waiting.here.add(presence);
    for (const leaving of left) if (!leaving.isFar) waiting.left.push(leaving);
  }

  hear(from: string, text: string): void {
    const { room, asks, here = [], left = [], taken = [] } = JSON.parse(text) as RoomNews;
    const board = this.#parts.boardOf(room);
    if (!board) return;
    for (const one of taken) {
      const presence = board.list.giveAway(from, one);
      if (presence) this.#parts.takenOver(room, presence);
    }
    for (const peer of here) board.list.showFar(from, peer);
    for (const [id, reason] of left) board.list.leaveFar(from, id, reason);
    board.flushSoon();
    if (asks === true) this.#tellOwn(room, board);
  }

  /**
   * Asks all others again after news were lost, and tells them who is here. People of theirs stay
   * until it is clear that they are gone.
   */
  missed(): void {
    for (const [room, board] of this.#openBoards()) {
      board.list.doubtFar();
      this.opened(room);
      this.#tellOwn(room, board);
    }
    this.#cancelDoubts?.();
    this.#cancelDoubts = this.#parts.environment.after(answerMilliseconds, () => {
      for (const [, board] of this.#openBoards()) {
        board.list.dropDoubted();
        board.flushSoon();
      }
    });
  }

  /** Removes the people of processes that are gone. */
  look({ list }: PresenceBoard): void {
    list.keepFar((node) => this.#parts.way.isLive(node));
  }

  stop(): void {
    this.#cancel?.();
    this.#cancelDoubts?.();
  }

  *#openBoards(): Generator<readonly [room: string, board: PresenceBoard]> {
    for (const room of this.#parts.openRooms()) {
      const board = this.#parts.boardOf(room);
      if (board) yield [room, board];
    }
  }

  #tellOwn(room: string, board: PresenceBoard): void {
    const { here } = this.#waitingOf(room);
    for (const presence of board.list.visible()) {
      if (presence instanceof Presence) here.add(presence);
    }
  }

  #waitingOf(room: string): Waiting {
    const known = this.#waiting.get(room);
    if (known) return known;
    const waiting = { here: new Set<Presence>(), left: [] };
    this.#waiting.set(room, waiting);
    this.#cancel ??= this.#parts.environment.after(restMilliseconds, () => this.#flush());
    return waiting;
  }

  #flush(): void {
    this.#cancel = undefined;
    for (const [room, { here, left }] of this.#waiting) {
      const gone = new Set(left.map(({ id }) => id));
      const peers = [...here].flatMap((one) =>
        gone.has(one.id) || one.isTimedOut ? [] : one.peer,
      );
      for (const part of partsOf(peers)) this.#tell({ room, here: part });
      const leavings = left.map(({ id, reason }) => [id, reason] as const);
      for (const part of partsOf(leavings)) this.#tell({ room, left: part });
    }
    this.#waiting.clear();
  }

  #tell(news: RoomNews): void {
    this.#parts.way.tell(JSON.stringify(news));
  }
}

/** Splits a list into parts that each fit into one notification. */
function* partsOf<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  let part: Item[] = [];
  let byteCount = 0;
  for (const item of items) {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (part.length > 0 && byteCount + bytes > textBytes) {
      yield part;
      part = [];
      byteCount = 0;
    }
    part.push(item);
    byteCount += bytes;
  }
  if (part.length > 0) yield part;
}
