import uws from 'uWebSockets.js';
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';

import type { Action } from '../model/access.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import type { IdempotencyStore } from '../model/idempotency.ts';
import { makeId } from '../model/identifier.ts';
import type { BodySpool } from '../model/body-spool.ts';
import type { LargeBodies } from '../model/large-bodies.ts';
import { answerLimits, bodyLimits, requestMemory } from '../model/limits.ts';
import type { LimitsProfile } from '../model/limits.ts';
import type { Rights } from '../model/rights.ts';
import type { Principal } from '../model/scope.ts';
import { Answers } from './answers.ts';
import type { Patience } from './answers.ts';
import { ByteBudget } from './byte-budget.ts';
import { Exchange } from './exchange.ts';
import { asksForSocket, Handshake } from './handshake.ts';
import type { SocketData } from './handshake.ts';
import { HeldResponse } from './held-response.ts';
import { HostNames } from './host-names.ts';
import { readIncoming } from './incoming.ts';
import { Listener } from './listener.ts';
import { RateLimits } from './rate-limits.ts';
import type { Host, Route } from './route.ts';
import { Router } from './router.ts';
import { frameBytesMost, silentSecondsMost, waitingBytesMost } from './socket-route.ts';
import { Validator } from './validate.ts';

/** Authenticates a request; fails with 401. Returns no promise when the sender is known already. */
export type Authenticate = (
  authorization: string | undefined,
  address: string,
) => Principal | Promise<Principal>;

/**
 * Resolves an address to the id of its workbook, or to the path of its new address; undefined when
 * the principal cannot see it.
 */
export type ResolveWorkbook = (
  owner: string,
  space: string,
  principal: Principal,
) => Promise<string | { readonly movedTo: string } | undefined>;

/**
 * Fails unless the principal may do this to the workbook, or create one. Called before the body is
 * read, so it also fails when the workbook is missing, or archived and to be written to.
 */
export type CheckAccess = (
  id: string | undefined,
  asked: { readonly action: Action; readonly hasBody: boolean },
  principal: Principal,
) => Promise<void>;

export interface RequestFacts {
  readonly requestId: string;
  readonly method: string;
  /** The route template or `unmatched`, which is safe as a label of a metric. */
  readonly route: string;
}

export interface FinishedRequest extends RequestFacts {
  /** Status of the answer; 0 when the client was gone before. */
  readonly status: number;
  readonly seconds: number;
  readonly aborted: boolean;
  readonly address: string;
  readonly userId: string | undefined;
  /** Number of cells read or written. */
  readonly cells: number;
}

/** Called for every request, for metrics and the access log. */
export interface Observer {
  finished(request: FinishedRequest): void;
  /** Called for errors of the service: answers of 500 and above, and broken ones. */
  failed(error: unknown, request: RequestFacts): void;
}

/** The hosts that a listener serves. */
export type ServedHost = Exclude<Host, 'any'>;

export interface EdgeOptions {
  readonly routes: readonly Route[];
  readonly addresses: Addresses;
  /** The address to listen on, as in `HOST`. */
  readonly boundTo: string;
  readonly environment: Environment;
  readonly limits: LimitsProfile;
  readonly authenticate: Authenticate;
  readonly resolveWorkbook?: ResolveWorkbook;
  readonly checkAccess?: CheckAccess;
  /** Ends answers whose right ends before they do; left out where all answers are short. */
  readonly rights?: Rights;
  readonly idempotency?: IdempotencyStore;
  /** Reads large bodies in the pool; left out, the serving thread reads them. */
  readonly largeBodies?: LargeBodies;
  /** Takes bodies that are too large for memory, on routes that allow them. */
  readonly spool?: BodySpool;
  /** Memory for bodies and answers of running requests; one key gets at most a quarter of each. */
  readonly memory?: { readonly bodyBytes: number; readonly answerBytes: number };
  /** Time limits for clients that do not read their answers. */
  readonly patience?: Partial<Patience>;
  readonly observer: Observer;
  readonly bodyDeadlineMilliseconds?: number;
  /** The hosts to serve; left out for all three. */
  readonly serves?: readonly ServedHost[];
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
}

/** Parts of the edge that an exchange needs. */
export interface EdgeParts {
  readonly router: Router;
  readonly hostNames: HostNames;
  readonly limits: RateLimits;
  readonly addresses: Addresses;
  readonly authenticate: Authenticate;
  readonly resolveWorkbook: ResolveWorkbook | undefined;
  readonly checkAccess: CheckAccess | undefined;
  readonly rights: Rights | undefined;
  readonly environment: Environment;
  readonly idempotency: IdempotencyStore | undefined;
  readonly largeBodies: LargeBodies | undefined;
  readonly spool: BodySpool | undefined;
  readonly bodies: ByteBudget;
  readonly answers: Answers;
  readonly observer: Observer;
  readonly bodyDeadlineMilliseconds: number;
  validatorOf(route: Route): Validator;
  requestIdOf(header: string | undefined): string;
  isDraining(): boolean;
}

/** The HTTP front end: the only object that answers requests. */
export class Edge {
  readonly #parts: EdgeParts;
  readonly #trustedProxies: ReadonlySet<string>;
  #listener: Listener | undefined;
  #held: HeldResponse | undefined;
  #draining = false;
  /** Running exchanges. */
  readonly #running = new Set<Exchange>();
  #whenIdle: (() => void) | undefined;

  constructor(options: EdgeOptions) {
    const { environment, serves = ['api', 'auth', 'site'] } = options;
    const routes = options.routes.filter(({ host }) => host === 'any' || serves.includes(host));
    const validators = new Map(routes.map((route) => [route, new Validator(route)]));
    const { bodyBytes, answerBytes } = options.memory ?? requestMemory;
    const answerBudget = new ByteBudget(answerBytes, answerBytes / keyShares);
    const requestIds = pooled(environment);
    this.#trustedProxies = new Set(options.trustedProxies);
    this.#parts = {
      router: new Router(routes),
      hostNames: new HostNames(options.addresses, options.boundTo, serves),
      limits: new RateLimits(options.limits, () => environment.elapsed()),
      addresses: options.addresses,
      authenticate: options.authenticate,
      resolveWorkbook: options.resolveWorkbook,
      checkAccess: options.checkAccess,
      rights: options.rights,
      environment,
      idempotency: options.idempotency,
      largeBodies: options.largeBodies,
      spool: options.spool,
      bodies: new ByteBudget(bodyBytes, bodyBytes / keyShares),
      answers: new Answers(answerBudget, { ...answerLimits, ...options.patience }),
      observer: options.observer,
      bodyDeadlineMilliseconds: options.bodyDeadlineMilliseconds ?? bodyLimits.deadlineMilliseconds,
      validatorOf: (route) => validators.get(route) ?? new Validator(route),
      requestIdOf: (header) =>
        header !== undefined && acceptableRequestId.test(header)
          ? header
          : makeId('req_', requestIds),
      isDraining: () => this.#draining,
    };
  }

  /** Listens and returns the port; port 0 asks for a free one. */
  async listen(host: string, port: number): Promise<number> {
    const listener = await Listener.bind(host, port);
    this.serve(listener);
    return listener.port;
  }

  /** Starts to answer requests on a port that was reserved. */
  serve(listener: Listener): void {
    this.#listener = listener;
    const { app } = listener;
    const held = new HeldResponse(listener);
    this.#held = held;
    app.ws<SocketData>('/*', {
      compression: uws.DISABLED,
      maxPayloadLength: frameBytesMost,
      maxBackpressure: waitingBytesMost,
      closeOnBackpressureLimit: 1,
      idleTimeout: silentSecondsMost,
      sendPingsAutomatically: true,
      maxLifetime: 0,
      upgrade: (res, req, context) => this.#receive(res, req, new Handshake(context, held)),
      open: (socket) => socket.getUserData().handler.opened(socket),
      message: (socket, frame, isBinary) =>
        socket.getUserData().handler.received(new Uint8Array(frame), isBinary),
      drain: (socket) => socket.getUserData().handler.drained(),
      close: (socket, code) => socket.getUserData().handler.closed(code),
    });
    app.any('/*', (res, req) => this.#receive(res, req));
  }

  /** Bytes held by bodies and answers of running requests. */
  get heldBytes(): { readonly bodies: number; readonly answers: number } {
    return { bodies: this.#parts.bodies.bytes, answers: this.#parts.answers.bytes };
  }

  /** Stops: takes no new connection, finishes running requests, and closes everything. */
  async stop(graceMilliseconds: number): Promise<void> {
    this.#draining = true;
    this.#listener?.close();
    if (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, graceMilliseconds);
        this.#whenIdle = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
    this.#held?.close();
    this.#listener?.app.close();
    this.#listener = undefined;
  }

  #receive(res: HttpResponse, req: HttpRequest, handshake?: Handshake): void {
    const incoming = readIncoming(res, req, this.#trustedProxies);
    const taken = asksForSocket(incoming) ? handshake : undefined;
    const exchange = new Exchange(res, incoming, this.#parts, taken);
    this.#running.add(exchange);
    void exchange.run().then(() => this.#leave(exchange));
  }

  #leave(exchange: Exchange): void {
    this.#running.delete(exchange);
    if (this.#running.size === 0) this.#whenIdle?.();
  }
}

/** A key gets one part in so many of the memory for bodies, and for answers. */
const keyShares = 4;

const poolBytes = 4096;

/** Random bytes, drawn many at a time, because a draw costs more than the rest of a request id. */
function pooled(environment: Environment): Environment {
  let pool = environment.random(poolBytes);
  let offset = 0;
  return {
    now: () => environment.now(),
    elapsed: () => environment.elapsed(),
    after: (delay, action) => environment.after(delay, action),
    random: (count) => {
      if (offset + count > pool.length) [pool, offset] = [environment.random(poolBytes), 0];
      offset += count;
      return pool.subarray(offset - count, offset);
    },
  };
}

const acceptableRequestId = /^[A-Za-z0-9_-]{8,64}$/;
