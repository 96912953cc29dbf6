import { waitSecondsMost } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import type { Incoming } from './incoming.ts';
import type { Call, FileBody } from './route.ts';

/** What the edge found out about a request before it calls the handler. */
export interface Findings {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: FileBody | undefined;
  readonly principal: Principal | undefined;
  readonly requestId: string;
}

/** The call as handlers see it. What most of them never look at is made when asked for. */
export class ReceivedCall implements Call {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: FileBody | undefined;
  readonly principal: Principal | undefined;
  readonly requestId: string;
  readonly header: (name: string) => string | undefined;
  readonly #incoming: Incoming;
  readonly #signal: () => AbortSignal;

  constructor(incoming: Incoming, findings: Findings, signal: () => AbortSignal) {
    this.params = findings.params;
    this.query = findings.query;
    this.body = findings.body;
    this.file = findings.file;
    this.principal = findings.principal;
    this.requestId = findings.requestId;
    this.header = (name) => incoming.headers.get(name.toLowerCase());
    this.#incoming = incoming;
    this.#signal = signal;
  }

  get address(): string {
    return this.#incoming.address;
  }

  get path(): string {
    return this.#incoming.path;
  }

  get queryText(): string {
    return this.#incoming.queryText;
  }

  get signal(): AbortSignal {
    return this.#signal();
  }

  /** `Prefer: wait=10` (RFC 7240), at most our own limit. */
  get waitSeconds(): number | undefined {
    const prefer = this.header('prefer');
    if (prefer === undefined) return undefined;
    const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})/i.exec(prefer)?.[1];
    return seconds === undefined ? undefined : Math.min(Number(seconds), waitSecondsMost);
  }
}
