import type { Environment } from '../model/environment.ts';
import type { PresencePatch } from './client-messages.ts';
import { Frame } from './frame.ts';
import { placeOf, shows, viewsOf, type Place } from './neighbours.ts';
import {
  leaveReasons,
  PresenceList,
  type AnyPresence,
  type LeaveReason,
  type Presence,
  type PresenceNews,
} from './presence.ts';
import type { Peer } from './server-messages.ts';

/** A socket that gets news of the people in the room. */
export interface Watcher {
  readonly presence: Presence;
  readonly wantsPresence: boolean;
  /** Sends a frame that may be lost; returns false when it was. */
  sendLossy(frame: Frame): boolean;
  /** Sends who left, at once or once it can take it. */
  tellLeft(sessions: readonly string[], reason: LeaveReason, frame: Frame): void;
}

/** With more people, each gets news only of those in its viewport. */
const crowd = 200;
const flushes = [
  { peers: 20, milliseconds: 50 },
  { peers: 100, milliseconds: 100 },
  { peers: Infinity, milliseconds: 250 },
] as const;
/** In a crowd news take at most this share of the time, but come at least once a second. */
const newsShare = 1 / 20;
const intervalMost = 1_000;
/** People that a snapshot lists, at most. */
const listedMost = 500;

/** The people in a room. Their news is sent to all sockets in one frame. */
export class PresenceBoard {
  readonly list = new PresenceList();
  readonly #environment: Environment;
  readonly #tell: (news: PresenceNews) => void;
  readonly #watchers = new Set<Watcher>();
  /** Watchers in a crowd that look somewhere else since the last news. */
  readonly #moved = new Set<Watcher>();
  /** The place of each person that was told last. */
  readonly #places = new WeakMap<AnyPresence, Place>();
  #cancelFlush: (() => void) | undefined;
  /** Milliseconds that the last news took. */
  #flushMilliseconds = 0;

  /** `tell` gets all news after they were sent. */
  constructor(environment: Environment, tell: (news: PresenceNews) => void) {
    this.#environment = environment;
    this.#tell = tell;
  }

  get hasNews(): boolean {
    return this.list.hasNews;
  }

  watch(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  unwatch(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    this.#moved.delete(watcher);
  }

  /** Returns the people that a watcher gets news of, without itself. */
  peersOf({ presence }: Pick<Watcher, 'presence'>): Peer[] {
    const peers: Peer[] = [];
    const [view] = this.#isCrowded ? viewsOf([{ presence }]) : [];
    if (this.#isCrowded && !view) return peers;
    for (const other of this.list.visible()) {
      if (other === presence || (view && !shows(view, placeOf(other.value)))) continue;
      peers.push(other.peer);
      if (peers.length === listedMost) break;
    }
    return peers;
  }

  /** Applies a patch; returns what is wrong with it, and then changes nothing. */
  update(watcher: Watcher, patch: PresencePatch): string | undefined {
    const { presence } = watcher;
    const fault = this.list.update(presence, patch);
    if (fault !== undefined) return fault;
    if (this.#isCrowded && patch.viewport && watcher.wantsPresence) this.#moved.add(watcher);
    this.flushSoon();
    return undefined;
  }

  /** Updates who is idle, silent or gone. */
  look(now: number): void {
    this.list.look(now);
    this.flushSoon();
  }

  flushSoon(): void {
    if (this.#cancelFlush || !this.list.hasNews) return;
    this.#cancelFlush = this.#environment.after(this.#interval, () => {
      this.#cancelFlush = undefined;
      const begun = this.#environment.elapsed();
      const news = this.list.take();
      this.#flush(news);
      this.#flushMilliseconds = this.#environment.elapsed() - begun;
      this.#tell(news);
    });
  }

  stop(): void {
    this.#cancelFlush?.();
  }

  /** Milliseconds until the next news. */
  get #interval(): number {
    const { size } = this.list;
    const usual = flushes.find(({ peers }) => size <= peers)?.milliseconds ?? intervalMost;
    if (!this.#isCrowded) return usual;
    return Math.max(usual, Math.min(intervalMost, this.#flushMilliseconds / newsShare));
  }

  get #isCrowded(): boolean {
    return this.list.size > crowd;
  }

  #flush({ changes, left }: PresenceNews): void {
    if (this.#isCrowded) {
      this.#flushToNeighbours(changes);
      this.#showNeighbours();
    } else if (changes.length > 0) {
      for (const { presence } of changes) this.#move(presence);
      const all = changes.map(({ message }) => message);
      const frame = new Frame({ kind: 'presence_changed', changes: all });
      const [only] = changes.length === 1 ? changes : [];
      for (const watcher of this.#watchers) {
        // A watcher does not get a frame with nothing but its own change.
        if (watcher.wantsPresence && watcher.presence !== only?.presence) watcher.sendLossy(frame);
      }
    }
    for (const reason of leaveReasons) {
      const sessions = left.filter((one) => one.reason === reason).map(({ id }) => id);
      if (sessions.length > 0) this.#tellLeft(sessions, reason);
    }
  }

  #tellLeft(sessions: readonly string[], reason: LeaveReason): void {
    const frame = new Frame({ kind: 'presence_left', sessions, reason });
    for (const watcher of this.#watchers) {
      if (watcher.wantsPresence) watcher.tellLeft(sessions, reason, frame);
    }
  }

  /** Sends those who look at the same cells one frame with all that changed there. */
  #flushToNeighbours(changes: PresenceNews['changes']): void {
    const placed = changes.map((one) => ({ ...one, places: this.#move(one.presence) }));
    const watchers = [...this.#watchers].filter(
      (one) => one.wantsPresence && !this.#moved.has(one),
    );
    for (const view of viewsOf(watchers)) {
      const seen = placed.filter(({ places }) => places.some((place) => shows(view, place)));
      if (seen.length === 0) continue;
      const messages = seen.map(({ message }) => message);
      const frame = new Frame({ kind: 'presence_changed', changes: messages });
      const [only] = seen.length === 1 ? seen : [];
      for (const watcher of view.viewers) {
        if (watcher.presence !== only?.presence) watcher.sendLossy(frame);
      }
    }
  }

  /** Notes where somebody is; returns that and the place before, where others still see them. */
  #move(presence: AnyPresence): readonly Place[] {
    const [place, before] = [placeOf(presence.value), this.#places.get(presence)];
    this.#places.set(presence, place);
    return before ? [place, before] : [place];
  }

  /** Sends those who look somewhere else everybody who is there. */
  #showNeighbours(): void {
    if (this.#moved.size === 0) return;
    const placed = [...this.list.visible()].map((one) => ({ one, place: placeOf(one.value) }));
    for (const view of viewsOf(this.#moved)) {
      const seen = placed.filter(({ place }) => shows(view, place)).slice(0, listedMost);
      const peers = seen.map(({ one }) => one.peer);
      if (peers.length === 0) continue;
      const frame = new Frame({ kind: 'presence_changed', changes: peers });
      for (const watcher of view.viewers) watcher.sendLossy(frame);
    }
    this.#moved.clear();
  }
}
