import { branchKey } from '../branches/journal-store.ts';
import type { Failure } from '../model/failure.ts';
import { limitReached } from '../model/limit-reached.ts';
import { loopbackFactor, type LimitsProfile } from '../model/limits.ts';
import { socketCaps } from './limits.ts';
import type { Seat } from './seat.ts';

/** Counts the sockets of a process, by branch, credential and account. */
export class SocketCaps {
  readonly #profile: LimitsProfile;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(profile: LimitsProfile) {
    this.#profile = profile;
  }

  /** Counts a socket; fails when there are too many. */
  enter(seat: Seat): void {
    const [branch, credential, account] = keysOf(seat);
    if (this.#total >= socketCaps.perProcess) {
      throw tooMany('of this process', socketCaps.perProcess);
    }
    if (this.#profile !== 'off') {
      const factor = this.#profile === 'loopback' ? loopbackFactor : 1;
      const { perBranch, perCredential, perAccount } = socketCaps;
      const check = (key: string, most: number, whose: string): void => {
        if (this.#of(key) >= most * factor) throw tooMany(whose, most * factor);
      };
      check(branch, perBranch, 'on this branch');
      check(credential, perCredential, 'of this credential in the workbook');
      check(account, perAccount, 'of this account');
    }
    this.#change(seat, 1);
  }

  leave(seat: Seat): void {
    this.#change(seat, -1);
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #change(seat: Seat, change: 1 | -1): void {
    this.#total += change;
    for (const key of keysOf(seat)) {
      const count = this.#of(key) + change;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
  }
}

function keysOf({ address, credentialKey, workbookId, ownerId }: Seat): [string, string, string] {
  return [branchKey(address), `${credentialKey} ${workbookId}`, ownerId];
}

function tooMany(whose: string, most: number): Failure {
  return limitReached('tooManySockets', {
    detail: `There are as many sockets ${whose} as there may be.`,
    hint: 'Close one that is not needed, and connect again.',
    quota: { name: 'sockets', most },
    waitSeconds: 30,
  });
}
