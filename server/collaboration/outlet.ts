import type { Wire } from '../model/socket.ts';
import { closeCodes, reasonText, type CloseReason } from './close-codes.ts';
import type { Frame, Framing } from './frame.ts';
import { pressureLimits } from './limits.ts';

/** The way out to one socket, and how much waits on it. */
export class Outlet {
  readonly framing: Framing;
  #wire: Wire | undefined;
  /** True when a lossy frame was left out, which the other end should get again. */
  isBehindPresence = false;

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

  /** True when operations have to wait. */
  get isFull(): boolean {
    return this.waitingBytes >= pressureLimits.opsBytes;
  }

  get isDrained(): boolean {
    return this.waitingBytes < pressureLimits.drainedBytes;
  }

  send(frame: Frame): void {
    this.#wire?.send(frame.bytes(this.framing), this.framing === 'msgpack');
  }

  /** Sends a frame that may be lost; false where it was left out because much waits. */
  sendLossy(frame: Frame): boolean {
    if (this.waitingBytes >= pressureLimits.lossyBytes) {
      this.isBehindPresence = true;
      return false;
    }
    this.send(frame);
    return true;
  }

  /** All that is sent within goes out together. */
  together(send: () => void): void {
    if (this.#wire) this.#wire.cork(send);
  }

  end(reason: CloseReason, text: string): void {
    // Told within that it is closed.
    this.#wire?.end(closeCodes[reason], reasonText(text));
  }

  cut(): void {
    this.#wire?.close();
  }

  closed(): void {
    this.#wire = undefined;
  }
}
