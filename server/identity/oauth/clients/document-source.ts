import type { IncomingMessage } from 'node:http';

import type { Environment } from '../../../model/environment.ts';
import { OpenInternet, OutboundFault, type Resolve } from '../../../outbound/open-internet.ts';

const bytesMost = 5_120;
const deadlineMilliseconds = 2_000;

export interface DocumentSourceParts {
  readonly environment: Environment;
  /** True in development, where a client on this machine may be asked without encryption. */
  readonly takesLoopback: boolean;
  readonly resolve?: Resolve;
}

/** A reason why a document could not be read, in words that reveal nothing of the network. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/** Reads small JSON documents at addresses that strangers name. */
export class DocumentSource {
  readonly #environment: Environment;
  readonly #internet: OpenInternet;

  constructor({ environment, ...parts }: DocumentSourceParts) {
    this.#environment = environment;
    this.#internet = new OpenInternet(parts);
  }

  /** Returns whether the form of an address allows a document there. */
  takes(url: URL): boolean {
    return this.#internet.takes(url);
  }

  async read(url: URL): Promise<unknown> {
    const controller = new AbortController();
    const cancel = this.#environment.after(deadlineMilliseconds, () => controller.abort());
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
    const { signal } = controller;
    try {
      const response = await this.#internet.request(url, { method: 'GET', headers, signal });
      return readJson(await collect(response));
    } catch (error) {
      if (error instanceof DocumentFault) throw error;
      if (error instanceof OutboundFault) throw new DocumentFault(error.message, { cause: error });
      throw new DocumentFault('could not be read', { cause: error });
    } finally {
      cancel();
    }
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
