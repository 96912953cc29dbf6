/** The last operation of a branch, as one process tells it to the others. */
export interface HeadNews {
  readonly workbookId: string;
  readonly branchNo: number;
  readonly head: number;
}

/** A process that runs on the same database. */
export interface OtherNode {
  readonly key: string;
  /** True when it has seen this process. */
  readonly knowsMe: boolean;
  readonly isLive: boolean;
}

export interface BeatTimes {
  /** A process that was heard of within this is alive. */
  readonly liveSeconds: number;
  /** Seconds after which a process that was not heard of, and did not leave, is forgotten. */
  readonly keptSeconds: number;
}

/**
 * The store by which the processes of one database know of one another. Times are those of the
 * database.
 */
export interface NodeStore {
  /** Says that this process lives and which others it knows; returns those not forgotten yet. */
  beat(
    self: { readonly key: string; readonly version: string },
    known: readonly string[],
    times: BeatTimes,
  ): Promise<readonly OtherNode[]>;
  leave(key: string): Promise<void>;
  /** Forgets all: for whoever has the database to itself. */
  clear(): Promise<void>;
  /** Asks all to beat at once. */
  callBeats(): Promise<void>;
  listenForBeats(hear: () => void): Promise<() => Promise<void>>;
  /** Some news may never arrive, and some arrive late. */
  /** The text and the key have at most 7,999 bytes together: one notification of PostgreSQL. */
  tellPresence(key: string, text: string): Promise<void>;
  /** Listens to texts of others; `listens` is called whenever some may have been missed before. */
  listenForPresence(
    key: string,
    hear: (from: string, text: string) => void,
    listens: () => void,
  ): Promise<() => Promise<void>>;
  tellHeads(key: string, news: readonly HeadNews[]): Promise<void>;
  /** Listens to heads of others; `listens` is called whenever some may have been missed before. */
  listenForHeads(
    key: string,
    hear: (news: readonly HeadNews[]) => void,
    listens: () => void,
  ): Promise<() => Promise<void>>;
}
