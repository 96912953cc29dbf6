import { waitSecondsMost } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import type { Incoming } from './incoming.ts';
import type { Call, FileBody, KeyedCall } from './route.ts';

/** Results of the edge's checks of a request, before it calls the handler. */
export interface Findings {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: FileBody | undefined;
  readonly principal: Principal | undefined;
  readonly requestId: string;
}

/** The parts of an exchange that a call uses while it runs. */
export interface RunningExchange {
  readonly signal: () => AbortSignal;
  readonly draw: Call['draw'];
}

/** The call as handlers see it. Rarely used members are computed on demand. */
export class ReceivedCall implements Call {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: FileBody | undefined;
  readonly principal: Principal | undefined;
  readonly requestId: string;
  readonly header: (name: string) => string | undefined;
  readonly keyed: KeyedCall | undefined;
  readonly #findings: Findings;
  readonly #incoming: Incoming;
  readonly #running: RunningExchange;

  constructor(
    incoming: Incoming,
    findings: Findings & { readonly keyed?: KeyedCall },
    running: RunningExchange,
  ) {
    this.params = findings.params;
    this.query = findings.query;
    this.body = findings.body;
    this.file = findings.file;
    this.principal = findings.principal;
    this.requestId = findings.requestId;
    this.header = (name) => incoming.headers.get(name.toLowerCase());
    this.keyed = findings.keyed;
    this.#findings = findings;
    this.#incoming = incoming;
    this.#running = running;
  }

  get draw(): Call['draw'] {
    return this.#running.draw;
  }

  /** Returns a copy of the call that runs under an Idempotency-Key. */
  under(keyed: KeyedCall): ReceivedCall {
    return new ReceivedCall(this.#incoming, { ...this.#findings, keyed }, this.#running);
  }

  asking(query: object): ReceivedCall {
    return new ReceivedCall(this.#incoming, { ...this.#findings, query }, this.#running);
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
    return this.#running.signal();
  }

  /** `Prefer: wait=10` (RFC 7240), at most our own limit. */
  get waitSeconds(): number | undefined {
    const prefer = this.header('prefer');
    if (prefer === undefined) return undefined;
    const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})/i.exec(prefer)?.[1];
    return seconds === undefined ? undefined : Math.min(Number(seconds), waitSecondsMost);
  }
}
