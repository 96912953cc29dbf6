import { Failure } from '../model/failure.ts';
import { loopbackFactor, type LimitsProfile } from '../model/limits.ts';
import { socketCaps } from './limits.ts';
import type { Seat } from './seat.ts';

/** Counts the sockets of a process, of its branches, and of who has opened them. */
export class SocketCaps {
  readonly #profile: LimitsProfile;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(profile: LimitsProfile) {
    this.#profile = profile;
  }

  /** Fails where there are as many as there may be. */
  enter(seat: Seat): void {
    const [branch, credential, account] = keysOf(seat);
    if (this.#total >= socketCaps.perProcess) throw tooMany('of this process');
    if (this.#profile !== 'off') {
      const factor = this.#profile === 'loopback' ? loopbackFactor : 1;
      const { perBranch, perCredential, perAccount } = socketCaps;
      if (this.#of(branch) >= perBranch * factor) throw tooMany('on this branch');
      if (this.#of(credential) >= perCredential * factor) {
        throw tooMany('of this credential in the workbook');
      }
      if (this.#of(account) >= perAccount * factor) throw tooMany('of this account');
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
  return [`${workbookId}/${address.branchNo}`, `${credentialKey} ${workbookId}`, ownerId];
}

function tooMany(whose: string): Failure {
  return new Failure('tooManySockets', {
    detail: `There are as many sockets ${whose} as there may be.`,
    hint: 'Close one that is not needed, and connect again.',
    extra: { retry_after: 30 },
  });
}
