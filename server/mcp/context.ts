import type { Principal } from '../model/scope.ts';
import type { JsonObject } from './protocol/message.ts';
import type { ReadRight } from './read-right.ts';

/** The caller of a request, and the services that may serve it. */
export interface McpContext {
  readonly principal: Principal;
  readonly right: ReadRight;
  /** Address of the client, for limits and audit. */
  readonly address: string;
  readonly requestId: string;
  /** Aborted when the client is gone, or has cancelled the request. */
  readonly signal: AbortSignal;
  /** Draws on a limit of the principal, or fails. */
  readonly draw: (kind: 'read' | 'write') => void;
  /** Tells how far it is, where the client wants to know; the numbers only grow. */
  readonly progress: (done: number, total?: number, message?: string) => void;
  /** The client's abilities, where it stated them in this very request. */
  readonly capabilities: JsonObject;
  /** The client's answers to questions of an earlier try of the same request. */
  readonly answers: JsonObject | undefined;
  /** The state that was sent along with those questions. */
  readonly state: string | undefined;
}

/** One request as it came in, before anything is known of it. */
export interface McpCall extends Pick<McpContext, 'principal' | 'address' | 'requestId' | 'draw'> {
  readonly body: unknown;
  readonly header: (name: string) => string | undefined;
  readonly signal: AbortSignal;
}

/** A request while it is served. */
export class RunningRequest {
  readonly #call: McpCall;
  #controller: AbortController | undefined;
  #isCancelled = false;

  constructor(call: McpCall) {
    this.#call = call;
  }

  /** Signal, made on first access: most requests end before anything could cancel them. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    const { signal } = this.#call;
    if (signal.aborted || this.#isCancelled) controller.abort();
    else signal.addEventListener('abort', () => controller.abort(), { once: true });
    return controller.signal;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
  }
}
