import uws from 'uWebSockets.js';
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';

import type { Action } from '../model/access.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import type { IdempotencyStore } from '../model/idempotency.ts';
import { makeId } from '../model/identifier.ts';
import { bodyLimits } from '../model/limits.ts';
import type { LimitsProfile } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import { Exchange } from './exchange.ts';
import { HostNames } from './host-names.ts';
import { readIncoming } from './incoming.ts';
import { RateLimits } from './rate-limits.ts';
import type { Host, Route } from './route.ts';
import { Router } from './router.ts';
import { Validator } from './validate.ts';

/** Says who sends the request, or fails with one of the 401s. Answers at once when it knows. */
export type Authenticate = (
  authorization: string | undefined,
  address: string,
) => Principal | Promise<Principal>;

/**
 * The id of the workbook at an address, or the path of the address that it has now, or undefined
 * when the principal cannot see one there.
 */
export type ResolveWorkbook = (
  owner: string,
  space: string,
  principal: Principal,
) => Promise<string | { readonly movedTo: string } | undefined>;

/** Fails unless the principal may do this to the workbook, or make one. */
export type CheckAccess = (
  id: string | undefined,
  action: Action,
  principal: Principal,
) => Promise<void>;

export interface RequestFacts {
  readonly requestId: string;
  readonly method: string;
  /** The template, or `unmatched`: safe as a label of a metric. */
  readonly route: string;
}

export interface FinishedRequest extends RequestFacts {
  /** 0 when the client was gone before there was an answer. */
  readonly status: number;
  readonly seconds: number;
  readonly aborted: boolean;
  readonly address: string;
  readonly userId: string | undefined;
  /** Read or written. */
  readonly cells: number;
}

/** Told of every request; metrics and the access log listen here. */
export interface Observer {
  finished(request: FinishedRequest): void;
  /** A fault of ours: an answer of 500 and above, or one that broke off. */
  failed(error: unknown, request: RequestFacts): void;
}

/** One of the three that a listener can serve. */
export type ServedHost = Exclude<Host, 'any'>;

export interface EdgeOptions {
  readonly routes: readonly Route[];
  readonly addresses: Addresses;
  /** The address the service is bound to, as in HOST. */
  readonly boundTo: string;
  readonly environment: Environment;
  readonly limits: LimitsProfile;
  readonly authenticate: Authenticate;
  readonly resolveWorkbook?: ResolveWorkbook;
  readonly checkAccess?: CheckAccess;
  readonly idempotency?: IdempotencyStore;
  readonly observer: Observer;
  readonly bodyDeadlineMilliseconds?: number;
  /** Rows of other hosts are not there for this listener; left out, it serves all three. */
  readonly serves?: readonly ServedHost[];
  /** Whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
}

/** What an exchange needs of the edge it came through. */
export interface EdgeParts {
  readonly router: Router;
  readonly hostNames: HostNames;
  readonly limits: RateLimits;
  readonly addresses: Addresses;
  readonly authenticate: Authenticate;
  readonly resolveWorkbook: ResolveWorkbook | undefined;
  readonly checkAccess: CheckAccess | undefined;
  readonly idempotency: IdempotencyStore | undefined;
  readonly observer: Observer;
  readonly bodyDeadlineMilliseconds: number;
  validatorOf(route: Route): Validator;
  requestIdOf(header: string | undefined): string;
  isDraining(): boolean;
}

/** The server's front door. The only object that knows uWebSockets.js. */
export class Edge {
  readonly #parts: EdgeParts;
  readonly #trustedProxies: ReadonlySet<string>;
  #app: TemplatedApp | undefined;
  #listener: us_listen_socket | undefined;
  #draining = false;
  /** Exchanges whose answer is not out yet. */
  readonly #running = new Set<Exchange>();
  #whenIdle: (() => void) | undefined;

  constructor(options: EdgeOptions) {
    const { environment, serves = ['api', 'auth', 'site'] } = options;
    const routes = options.routes.filter(({ host }) => host === 'any' || serves.includes(host));
    const validators = new Map(routes.map((route) => [route, new Validator(route)]));
    const requestIds = pooled(environment);
    this.#trustedProxies = new Set(options.trustedProxies);
    this.#parts = {
      router: new Router(routes),
      hostNames: new HostNames(options.addresses, options.boundTo, serves),
      limits: new RateLimits(options.limits, () => environment.now()),
      addresses: options.addresses,
      authenticate: options.authenticate,
      resolveWorkbook: options.resolveWorkbook,
      checkAccess: options.checkAccess,
      idempotency: options.idempotency,
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

  /** Listens and returns the port; 0 asks for a free one. */
  listen(host: string, port: number): Promise<number> {
    const app = uws.App();
    this.#app = app;
    app.any('/*', (res, req) => {
      const exchange = new Exchange(res, readIncoming(res, req, this.#trustedProxies), this.#parts);
      this.#running.add(exchange);
      void exchange.run().then(() => this.#leave(exchange));
    });
    return new Promise((resolve, reject) => {
      app.listen(host, port, (listener) => {
        if (listener === false) {
          reject(new Error(`could not listen on ${host}:${port}: is the port taken?`));
          return;
        }
        this.#listener = listener;
        resolve(uws.us_socket_local_port(listener));
      });
    });
  }

  /** Takes no new connection, finishes what runs, then closes everything. */
  async stop(graceMilliseconds: number): Promise<void> {
    this.#draining = true;
    if (this.#listener !== undefined) uws.us_listen_socket_close(this.#listener);
    this.#listener = undefined;
    if (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, graceMilliseconds);
        this.#whenIdle = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
    this.#app?.close();
    this.#app = undefined;
  }

  #leave(exchange: Exchange): void {
    this.#running.delete(exchange);
    if (this.#running.size === 0) this.#whenIdle?.();
  }
}

const poolBytes = 4096;

/** Random bytes drawn many at a time: a draw costs more than the rest of a request id. */
function pooled(environment: Environment): Environment {
  let pool = environment.random(poolBytes);
  let offset = 0;
  return {
    now: () => environment.now(),
    after: (delay, action) => environment.after(delay, action),
    random: (count) => {
      if (offset + count > pool.length) [pool, offset] = [environment.random(poolBytes), 0];
      offset += count;
      return pool.subarray(offset - count, offset);
    },
  };
}

const acceptableRequestId = /^[A-Za-z0-9_-]{8,64}$/;
