import type { Wire } from '../model/socket.ts';
import { closeCodes, reasonText, type CloseReason } from './close-codes.ts';
import { Frame, type Framing } from './frame.ts';
import { pressureLimits } from './limits.ts';
import { leaveReasons, type LeaveReason } from './presence.ts';

/** The output of one socket, and the bytes that wait for it. */
export class Outlet {
  readonly framing: Framing;
  #wire: Wire | undefined;
  /** True when a lossy frame was left out, so that its content should be sent again. */
  isBehindPresence = false;
  /** People whose leaving was in frames that were left out. */
  #missed: Map<string, LeaveReason> | undefined;

  constructor(framing: Framing) {
    this.framing = framing;
  }

  open(wire: Wire): void {
    this.#wire = wire;
  }

  get isOpen(): boolean {
    return this.#wire !== undefined;
  }

  get waitingBytes(): number {
    return this.#wire?.getBufferedAmount() ?? 0;
  }

  /** True when too many bytes wait for operations to be sent. */
  get isFull(): boolean {
    return this.waitingBytes >= pressureLimits.opsBytes;
  }

  get isDrained(): boolean {
    return this.waitingBytes < pressureLimits.drainedBytes;
  }

  send(frame: Frame): void {
    this.#wire?.send(frame.bytes(this.framing), this.framing === 'msgpack');
  }

  /** Sends a frame that may be lost; returns false when it was left out because much waits. */
  sendLossy(frame: Frame): boolean {
    if (this.waitingBytes >= pressureLimits.lossyBytes) {
      this.isBehindPresence = true;
      return false;
    }
    this.send(frame);
    return true;
  }

  /** Sends who left, or keeps it for `takeMissed`: no later frame would tell it. */
  tellLeft(sessions: readonly string[], reason: LeaveReason, frame: Frame): void {
    if (this.sendLossy(frame)) return;
    this.#missed ??= new Map();
    for (const session of sessions) this.#missed.set(session, reason);
  }

  /** Returns what `tellLeft` could not send. */
  takeMissed(): Frame[] {
    const missed = [...(this.#missed ?? [])];
    this.#missed = undefined;
    return leaveReasons.flatMap((reason) => {
      const sessions = missed.filter(([, why]) => why === reason).map(([id]) => id);
      return sessions.length === 0 ? [] : new Frame({ kind: 'presence_left', sessions, reason });
    });
  }

  /** Sends all messages of the callback together. */
  together(send: () => void): void {
    if (this.#wire) this.#wire.cork(send);
  }

  end(reason: CloseReason, text: string): void {
    // The callback may have closed the socket.
    this.#wire?.end(closeCodes[reason], reasonText(text));
  }

  cut(): void {
    this.#wire?.close();
  }

  closed(): void {
    this.#wire = undefined;
  }
}
