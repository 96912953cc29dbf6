import { socketLimits as limits } from './limits.ts';

/** A socket is closed when it exceeds its rates this many times for so long. */
const abuse = { factor: 10, milliseconds: 10_000 } as const;

/** The rates of one socket, in few numbers because there are many sockets. */
export class SocketRates {
  #at: number;
  #frames: number = limits.frameBurst;
  #ops: number = limits.opBurst;
  #bytes: number = limits.byteBurst;
  #presences: number = limits.presenceBurst;
  /** Frames since the last check for abuse. */
  #windowStart: number;
  #windowFrames = 0;
  #windowBytes = 0;

  constructor(now: number) {
    this.#at = now;
    this.#windowStart = now;
  }

  /** Counts a frame; returns the milliseconds to wait, 0 when it may pass. */
  takeFrame(byteCount: number, now: number): number {
    this.#refill(now);
    this.#windowFrames++;
    this.#windowBytes += byteCount;
    this.#frames--;
    this.#bytes -= byteCount;
    const wait = Math.max(
      waitFor(this.#frames, limits.framesPerSecond),
      waitFor(this.#bytes, limits.bytesPerSecond),
    );
    if (wait === 0) return 0;
    // Only frames that pass are counted, so that a client is let in again.
    this.#frames++;
    this.#bytes += byteCount;
    return wait;
  }

  takeOps(count: number): number {
    const wait = waitFor(this.#ops - count, limits.opsPerSecond);
    if (wait === 0) this.#ops -= count;
    return wait;
  }

  takePresence(): boolean {
    if (this.#presences < 1) return false;
    this.#presences--;
    return true;
  }

  /** Returns whether the rates were exceeded by far for ten seconds. */
  isAbused(now: number): boolean {
    const elapsed = now - this.#windowStart;
    if (elapsed < abuse.milliseconds) return false;
    const seconds = elapsed / 1_000;
    const isOver =
      this.#windowFrames > abuse.factor * limits.framesPerSecond * seconds ||
      this.#windowBytes > abuse.factor * limits.bytesPerSecond * seconds;
    this.#windowStart = now;
    this.#windowFrames = 0;
    this.#windowBytes = 0;
    return isOver;
  }

  #refill(now: number): void {
    const seconds = Math.max(0, now - this.#at) / 1_000;
    this.#at = now;
    const filled = (tokens: number, rate: number, burst: number): number =>
      Math.min(burst, tokens + seconds * rate);
    this.#frames = filled(this.#frames, limits.framesPerSecond, limits.frameBurst);
    this.#ops = filled(this.#ops, limits.opsPerSecond, limits.opBurst);
    this.#bytes = filled(this.#bytes, limits.bytesPerSecond, limits.byteBurst);
    this.#presences = filled(this.#presences, limits.presencePerSecond, limits.presenceBurst);
  }
}

/** Returns the milliseconds until enough is available. */
function waitFor(tokens: number, perSecond: number): number {
  return tokens >= 0 ? 0 : Math.max(1, Math.ceil((-tokens / perSecond) * 1_000));
}
