import { lookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { request as requestPlain } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP } from 'node:net';

import type { Environment } from '../../../model/environment.ts';
import { isPublicAddress } from './public-address.ts';

const bytesMost = 5_120;
const deadlineMilliseconds = 2_000;

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export interface DocumentSourceParts {
  readonly environment: Environment;
  /** In development a client of this very machine may be asked, without encryption. */
  readonly takesLoopback: boolean;
  readonly resolve?: Resolve;
}

/** Says why a document could not be had, in words that tell nothing of what the network holds. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

const loopbackHost = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/;
const loopbackAddress = /^(?:127\.|::1$)/;

/**
 * Reads small JSON documents at addresses that strangers name. A connection goes to the very
 * address that was checked, follows nowhere else, and is short.
 */
export class DocumentSource {
  readonly #parts: DocumentSourceParts;

  constructor(parts: DocumentSourceParts) {
    this.#parts = parts;
  }

  /** Whether a document may be read there, as far as the address itself tells. */
  takes(url: URL): boolean {
    return url.protocol === 'https:' || this.#isOwnMachine(url);
  }

  async read(url: URL): Promise<unknown> {
    if (!this.takes(url)) throw new DocumentFault('is not https');
    const literal = url.hostname.replaceAll(/[[\]]/g, '');
    if (isIP(literal) !== 0) this.#check(url, [{ address: literal }]);
    const controller = new AbortController();
    const { environment } = this.#parts;
    const cancel = environment.after(deadlineMilliseconds, () => controller.abort());
    try {
      return readJson(await this.#get(url, controller.signal));
    } catch (error) {
      if (error instanceof DocumentFault) throw error;
      throw new DocumentFault('could not be read', { cause: error });
    } finally {
      cancel();
    }
  }

  #get(url: URL, signal: AbortSignal): Promise<Buffer> {
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    return new Promise((resolve, reject) => {
      const asked = request(url, {
        signal,
        // A connection of its own: none that is open is taken up for another name.
        agent: false,
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        lookup: (hostname, options, done) => this.#lookUp(url, { hostname, options }, done),
      });
      asked.on('error', reject);
      asked.on('response', (response) => {
        collect(response).then(resolve, reject);
      });
      asked.end();
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
    if (isRefused || addresses.length === 0) throw new DocumentFault('is not on the open internet');
  }

  #isOwnMachine({ protocol, hostname }: URL): boolean {
    return this.#parts.takesLoopback && protocol === 'http:' && loopbackHost.test(hostname);
  }
}

async function collect(response: IncomingMessage): Promise<Buffer> {
  const type = response.headers['content-type'] ?? '';
  try {
    if (response.statusCode !== 200) throw new DocumentFault('is not there');
    if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) throw new DocumentFault('is not JSON');
    if (response.headers['content-encoding'] !== undefined) {
      throw new DocumentFault('is packed, which was not asked for');
    }
    const chunks: Buffer[] = [];
    let byteCount = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      byteCount += chunk.length;
      if (byteCount > bytesMost) throw new DocumentFault(`has more than ${bytesMost} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    response.destroy();
  }
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new DocumentFault('is not JSON', { cause });
  }
}
