import type { Environment } from '../../../model/environment.ts';
import type { OauthClient, OauthTable } from '../sql.ts';
import { documentUrl, readClientDocument } from './client-document.ts';
import type { DocumentSource } from './document-source.ts';

const freshMilliseconds = 300_000;

export interface ClientsParts {
  readonly table: OauthTable;
  readonly documents: DocumentSource;
  readonly environment: Environment;
  /** Counts a reading for a client address; fails when there were too many. */
  readonly countReading: (address: string) => Promise<void>;
}

/** Clients that registered, and those whose id is the address of their own description. */
export class Clients {
  readonly #parts: ClientsParts;

  constructor(parts: ClientsParts) {
    this.#parts = parts;
  }

  /**
   * Returns a client that asks for consent; its document is read again when it is some minutes old.
   */
  async asking(clientId: string, address: string): Promise<OauthClient | undefined> {
    const { table, documents, environment, countReading } = this.#parts;
    const at = new Date(environment.now());
    const url = documentUrl(clientId);
    if (url === undefined || !documents.takes(url)) return table.client(clientId, at);
    const since = new Date(at.getTime() - freshMilliseconds);
    const known = await table.freshClient(clientId, since);
    if (known !== undefined) return known;
    await countReading(address);
    const client = readClientDocument(clientId, await documents.read(url));
    await table.keepDocument(client, at);
    return client;
  }
}
