import { actionOf } from '../model/access.ts';
import type { Principal } from '../model/scope.ts';
import type { EdgeParts } from './edge.ts';
import { checkScope } from './entry.ts';
import type { Handshake } from './handshake.ts';
import type { Incoming } from './incoming.ts';
import type { TokenBucket } from '../model/token-bucket.ts';
import type { Route } from './route.ts';
import type { ShownCredential } from './socket-route.ts';

type CallerParts = Pick<EdgeParts, 'authenticate' | 'addresses' | 'limits' | 'checkAccess'>;

/** Whoever sends one request: the principal, once it is known, and the limits on what it asks. */
export class Caller {
  readonly #incoming: Incoming;
  readonly #parts: CallerParts;
  #principal: Principal | undefined;
  #shown: ShownCredential | undefined;
  /** Ends counting the request among the running ones of its principal. */
  #leave: (() => void) | undefined;
  #rateLimit: string | undefined;

  constructor(incoming: Incoming, parts: CallerParts) {
    this.#incoming = incoming;
    this.#parts = parts;
  }

  get principal(): Principal | undefined {
    return this.#principal;
  }

  /** The credential of a handshake. */
  get shown(): ShownCredential | undefined {
    return this.#shown;
  }

  /** Text of the header that tells what is left of a limit. */
  get rateLimit(): string | undefined {
    return this.#rateLimit;
  }

  /** Key whose share of memory the request uses. */
  get key(): string {
    return this.#principal?.userId ?? this.#incoming.address;
  }

  async authorise(route: Route, handshake: Handshake | undefined): Promise<void> {
    if (route.scope === null) return;
    const { headers, address } = this.#incoming;
    this.#shown = await handshake?.show(route, this.#incoming);
    const principal =
      this.#shown?.principal ??
      (await this.#parts.authenticate(headers.get('authorization'), address));
    checkScope(principal, route.scope, this.#parts.addresses);
    this.#principal = principal;
  }

  /** Counts the request until it leaves; fails when there are too many. */
  enter(route: Route): TokenBucket | undefined {
    const kind = route.limit ?? (route.method === 'GET' ? 'read' : 'write');
    const bucket = kind === 'none' ? undefined : this.take(kind);
    if (bucket) this.#rateLimit = `"${kind}";r=${bucket.remaining};t=60`;
    this.#leave = this.#parts.limits.enter(this.#principal);
    return bucket;
  }

  take(kind: 'read' | 'write'): TokenBucket | undefined {
    return this.#parts.limits.take(kind, this.#principal, this.#incoming.address);
  }

  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  /** Checks the role for the workbook; here, so that no handler can forget it. */
  async checkRole(
    route: Route,
    { id }: Readonly<Record<string, string>>,
    hasBody: boolean,
  ): Promise<void> {
    const action = actionOf(route.method, route.path);
    if (action === undefined || this.#principal === undefined) return;
    await this.#parts.checkAccess?.(id, { action, hasBody }, this.#principal);
  }
}
