import type { Snapshot } from './frames.ts';
import { Problem } from './problem.ts';

export const waits = {
  /** For a credential, for the socket, and for the answer to a greeting; browsers wait for minutes. */
  handshakeMilliseconds: 20_000,
  /** Without anything to send, until a heartbeat. */
  quietMilliseconds: 25_000,
  /** For the answer to a heartbeat. */
  answerMilliseconds: 10_000,
};
const firstDelayMilliseconds = 250;
const longestDelayMilliseconds = 10_000;
const overloadedMilliseconds = 30_000;

/** Close codes after which another try would end in the same way. */
export const finalCodes = [1000, 4400, 4401, 4403, 4404, 4409, 4410, 4426];

/** Reasons of gaps after which submissions wait until `offerAgain` is called. */
export const voidReasons = ['ahead', 'diverged', 'branch_reset'];

/** Position that a session has: its last operation, and the hash of that if it is known. */
interface Known {
  readonly seq: number | undefined;
  readonly hash: string | undefined;
}

/**
 * Returns whether a stream goes on where a session was. Otherwise a `gap` follows the greeting, and
 * nothing may be sent before its reason is known.
 */
export function goesOn({ head, headHash, replay }: Snapshot, { seq, hash }: Known): boolean {
  if (seq === undefined || replay !== null) return true;
  return head === seq && (hash === undefined || hash === headHash);
}

/**
 * Returns the milliseconds to wait before the next try, by the close code and the number of tries.
 */
export function delayOf(code: number, attempts: number): number {
  if (code === 4429) return overloadedMilliseconds * (1 + Math.random());
  if (code === 1001) return Math.random() * 5_000;
  return Math.random() * Math.min(firstDelayMilliseconds * 2 ** attempts, longestDelayMilliseconds);
}

export function closed(detail: string): Problem {
  return new Problem({ code: 'closed', status: 0, detail, hint: 'Open another session.' });
}
