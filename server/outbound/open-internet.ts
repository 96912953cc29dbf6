import { lookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { request as requestPlain } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP } from 'node:net';

import { isPublicAddress } from './public-address.ts';

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export interface OpenInternetParts {
  /** Allows servers on this very machine, without encryption, as in development. */
  readonly takesLoopback: boolean;
  readonly resolve?: Resolve | undefined;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** Why nothing was sent, in words that tell nothing of what the network holds. */
export class OutboundFault extends Error {
  override readonly name = 'OutboundFault';
}

const loopbackHost = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/;
const loopbackAddress = /^(?:127\.|::1$)/;
/** Names of this machine and of its own network: RFC 6761, 6762, 8375, and ICANN's .internal. */
const ownNames = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/;

/**
 * Requests to addresses that strangers name. A connection goes to the very address that was
 * checked, and follows nowhere else: what is inside the own network cannot be reached.
 */
export class OpenInternet {
  readonly #parts: OpenInternetParts;

  constructor(parts: OpenInternetParts) {
    this.#parts = parts;
  }

  /** Returns whether a request may go to a URL, as far as the address itself tells. */
  takes(url: URL): boolean {
    return url.protocol === 'https:' || this.#isOwnMachine(url);
  }

  /** Fails where the address tells that it is not one of the open internet. */
  check(url: URL): void {
    if (!this.takes(url)) throw new OutboundFault('is not https');
    const literal = url.hostname.replaceAll(/[[\]]/g, '');
    if (isIP(literal) !== 0) this.#check(url, [{ address: literal }]);
    else if (!this.#isOwnMachine(url) && ownNames.test(literal)) throw notOpen();
  }

  /** Resolves with the head of the answer; whoever has it destroys it. */
  async request(url: URL, { body, ...options }: OutboundRequest): Promise<IncomingMessage> {
    this.check(url);
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    return new Promise((resolve, reject) => {
      const asked = request(url, {
        ...options,
        // A connection of its own: none that is open is taken up for another name.
        agent: false,
        lookup: (hostname, given, done) => this.#lookUp(url, { hostname, options: given }, done),
      });
      asked.on('error', reject);
      asked.on('response', resolve);
      asked.end(body);
    });
  }

  #lookUp(
    url: URL,
    { hostname, options }: { hostname: string; options: LookupOptions },
    done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void {
    const resolve = this.#parts.resolve ?? lookup;
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      try {
        if (error !== null) throw error;
        this.#check(url, addresses);
      } catch (refusal) {
        done(refusal instanceof Error ? refusal : new Error('refused'), []);
        return;
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) done(null, addresses);
      else done(null, first.address, first.family);
    });
  }

  /** One address that is not public is one too many: the next connection might take it. */
  #check(url: URL, addresses: readonly Pick<LookupAddress, 'address'>[]): void {
    const isOwn = this.#isOwnMachine(url);
    const isRefused = addresses.some(({ address }) =>
      isOwn ? !loopbackAddress.test(address) : !isPublicAddress(address),
    );
    if (isRefused || addresses.length === 0) throw notOpen();
  }

  #isOwnMachine({ protocol, hostname }: URL): boolean {
    return this.#parts.takesLoopback && protocol === 'http:' && loopbackHost.test(hostname);
  }
}

function notOpen(): OutboundFault {
  return new OutboundFault('is not on the open internet');
}
