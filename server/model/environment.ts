/**
 * The source of time and randomness. The service gets one Environment at start and passes it down,
 * so that a simulator can drive journal and sequencer with its own clock and seed.
 */
export interface Environment {
  /** Milliseconds since the Unix epoch. Never used to order operations; sequence numbers do that. */
  now(): number;
  /**
   * Milliseconds since some moment, for waits and ages, which go on when the clock is set back.
   */
  elapsed(): number;
  /** Fresh bytes from a cryptographic source (seeded in simulation). */
  random(byteCount: number): Uint8Array;
  /**
   * Runs `action` once after the delay, without one in the next turn of the event loop; the returned
   * function cancels it.
   */
  after(delayMilliseconds: number, action: () => void): () => void;
  /** Called at places where a crash would be felt; tests end the process there. */
  checkpoint?(place: string): Promise<void>;
}

/** Resolves after some time on the clock of an environment. */
export function pause(
  environment: Pick<Environment, 'after'>,
  milliseconds: number,
): Promise<void> {
  return new Promise((resolve) => {
    environment.after(milliseconds, resolve);
  });
}
