import type { HttpResponse } from 'uWebSockets.js';

import { actionOf } from '../model/access.ts';
import { Failure } from '../model/failure.ts';
import { bodyLimits, cellsPerUnit } from '../model/limits.ts';
import { missingScopes } from '../model/scope.ts';
import type { Principal } from '../model/scope.ts';
import { checkAnnouncedLength, readBody } from './body.ts';
import { readContent } from './content.ts';
import type { EdgeParts } from './edge.ts';
import type { Encoded } from './encode.ts';
import type { Incoming } from './incoming.ts';
import { negotiate, negotiateProblem } from './negotiate.ts';
import type { Negotiated } from './negotiate.ts';
import { asFailure, problemReply } from './problem.ts';
import { encodeReply, encodeStored, finish } from './render.ts';
import { ReceivedCall } from './received-call.ts';
import type { Findings } from './received-call.ts';
import { readClaim, replay } from './repeat.ts';
import type { Call, FileBody, Host, Reply, Route } from './route.ts';
import type { Match } from './router.ts';
import { send } from './send.ts';
import type { Connection } from './send.ts';

/** One request and its answer, from the head of the one to the last byte of the other. */
export class Exchange implements Connection {
  readonly res: HttpResponse;
  readonly requestId: string;
  /** True from the moment the client is gone; set by uWebSockets.js only. */
  #aborted = false;
  readonly #incoming: Incoming;
  readonly #parts: EdgeParts;
  readonly #abortActions: (() => void)[] = [];
  #controller: AbortController | undefined;
  #route: Route | undefined;
  #host: Host = 'api';
  #principal: Principal | undefined;
  #body: Promise<Buffer | Failure> | undefined;
  #rateLimitHeader: string | undefined;
  /** Set when the rest of the request would have to be read for another one to follow. */
  #closesConnection = false;

  constructor(res: HttpResponse, incoming: Incoming, parts: EdgeParts) {
    this.res = res;
    this.#incoming = incoming;
    this.#parts = parts;
    this.requestId = parts.requestIdOf(incoming.headers.get('x-request-id'));
    res.onAborted(() => this.#abort());
  }

  isAborted(): boolean {
    return this.#aborted;
  }

  whenAborted(action: () => void): void {
    this.#abortActions.push(action);
  }

  /** Answers, whatever happens; rejects never. */
  async run(): Promise<void> {
    const startedMilliseconds = performance.now();
    let status = 0;
    let cells = 0;
    try {
      const { reply, encoded } = await this.#answer();
      const outgoing = await finish(reply, encoded, this.#context());
      status = outgoing.status;
      cells = reply.cells ?? 0;
      await send(this, outgoing);
    } catch (error) {
      // The head may be on its way, so all that is left is to cut the connection off.
      this.#parts.observer.failed(error, this.#facts());
      if (!this.#aborted) this.res.close();
    }
    for (const action of this.#abortActions) action();
    const seconds = (performance.now() - startedMilliseconds) / 1000;
    const { aborted, address } = { aborted: this.#aborted, address: this.#incoming.address };
    this.#parts.observer.finished({
      ...this.#facts(),
      status,
      seconds,
      aborted,
      address,
      userId: this.#principal?.userId,
      cells,
    });
  }

  async #answer(): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    try {
      const prepared = this.#prepare();
      if ('route' in prepared) return await this.#serve(prepared);
      return { reply: prepared, encoded: undefined };
    } catch (error) {
      return this.#problem(error);
    }
  }

  #problem(error: unknown): { reply: Reply; encoded: Encoded | undefined } {
    const failure = asFailure(error);
    if (failure.status >= 500) this.#parts.observer.failed(error, this.#facts());
    if (failure.status === 413 || failure.status === 408) this.#closesConnection = true;
    const { requestId } = this;
    const { addresses } = this.#parts;
    const reply = problemReply(failure, { host: this.#host, requestId, addresses });
    const negotiated = negotiateProblem(this.#incoming.headers.get('accept'));
    return { reply, encoded: encodeReply(reply, negotiated) };
  }

  /** What can be said from the head alone. Starts to read the body, which cannot wait. */
  #prepare(): Match | Reply {
    const { method, path, headers, repeatedHeader } = this.#incoming;
    if (repeatedHeader !== undefined) {
      throw new Failure('invalidRequest', { detail: `The header ${repeatedHeader} came twice.` });
    }
    const hosts = this.#parts.hostNames.hostsOf(headers.get('host'));
    const match = this.#parts.router.match(method, path, hosts);
    if (match.route === undefined) {
      this.#host = match.host;
      return this.#unmatched(match.allowed);
    }
    this.#host = match.route.host;
    this.#route = match.route;
    if (!this.#hasBody) return match;
    const limitBytes = match.route.bodyLimitBytes ?? bodyLimits.defaultBytes;
    checkAnnouncedLength(headers.get('content-length'), limitBytes);
    const deadlineMilliseconds = this.#parts.bodyDeadlineMilliseconds;
    this.#body = readBody(this.res, { bytes: limitBytes, deadlineMilliseconds }, (action) =>
      this.whenAborted(action),
    );
    return match;
  }

  get #hasBody(): boolean {
    const { headers, method } = this.#incoming;
    if (method === 'GET' || method === 'HEAD') return false;
    const length = headers.get('content-length');
    return headers.has('transfer-encoding') || (length !== undefined && length !== '0');
  }

  #unmatched(allowed: readonly string[]): Reply {
    const { method, path } = this.#incoming;
    if (allowed.length === 0) {
      throw new Failure('notFound', {
        detail: `No route has the path ${path.slice(0, 200)}.`,
        hint: `GET ${this.#parts.addresses.baseUrl}/openapi.json lists them all.`,
      });
    }
    const allow = allowed.join(', ');
    if (method === 'OPTIONS') return { status: 204, headers: preflight(allow, this.#host) };
    throw new Failure('methodNotAllowed', {
      detail: `${path.slice(0, 200)} takes ${allow}.`,
      headers: { Allow: allow },
    });
  }

  async #serve(match: Match): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    const { route } = match;
    const { headers, address } = this.#incoming;
    this.#principal = await this.#authorise(route);
    const kind = route.limit ?? (route.method === 'GET' ? 'read' : 'write');
    const { limits } = this.#parts;
    const bucket = kind === 'none' ? undefined : limits.take(kind, this.#principal, address);
    if (bucket) this.#rateLimitHeader = `"${kind}";r=${bucket.remaining};t=60`;
    const leave = limits.enter(this.#principal);
    try {
      const negotiated = negotiate(headers.get('accept'), route);
      const validator = this.#parts.validatorOf(route);
      const query = validator.query(this.#incoming.queryText);
      const found = await this.#params(match);
      if ('movedTo' in found) return { reply: this.#moved(found), encoded: undefined };
      const params = validator.params(found.params);
      await this.#checkRole(route, found.params);
      const { bytes, body, file } = await readContent(route, headers, await this.#body);
      const call = this.#call({ params, query, body: this.#validBody(route, body, file), file });
      const answer = await this.#once(route, bytes, { call, negotiated });
      bucket?.charge(Math.floor((answer.reply.cells ?? 0) / cellsPerUnit));
      return answer;
    } finally {
      leave();
    }
  }

  async #authorise(route: Route): Promise<Principal | undefined> {
    if (route.scope === null) return undefined;
    const { headers, address } = this.#incoming;
    const principal = await this.#parts.authenticate(headers.get('authorization'), address);
    const missing = missingScopes(principal, [route.scope]);
    if (missing.length === 0) return principal;
    throw new Failure('insufficientScope', {
      detail: `This needs the scope ${missing.join(', ')}; the credential has ${principal.scopes.join(', ')}.`,
      hint: `Claim this identity: POST ${this.#parts.addresses.authUrl}/agent/auth/claim {"claim_token","email"}.`,
      extra: { required: missing },
    });
  }

  /** The second form names the workbook by owner and space; it is resolved to the id here. */
  async #params(
    match: Match,
  ): Promise<{ params: Readonly<Record<string, string>> } | { movedTo: string }> {
    const { address, params } = match;
    if (address === undefined) return { params };
    const resolve = this.#parts.resolveWorkbook;
    const id = this.#principal && (await resolve?.(address.owner, address.space, this.#principal));
    if (typeof id === 'object') return id;
    if (id === undefined) {
      throw new Failure('notFound', {
        detail: 'There is no workbook of this owner and name that you can see.',
        hint: 'GET /v1/workbooks lists yours.',
      });
    }
    return { params: { ...params, id } };
  }

  /** The matrix of roles is kept here, so that no handler can forget it. */
  async #checkRole(route: Route, { id }: Readonly<Record<string, string>>): Promise<void> {
    const action = actionOf(route.method, route.path);
    if (action === undefined || this.#principal === undefined) return;
    await this.#parts.checkAccess?.(id, action, this.#principal);
  }

  /** Another name for the same: method and body are to be sent again as they are. */
  #moved({ movedTo }: { movedTo: string }): Reply {
    const { path, queryText } = this.#incoming;
    const rest = path.split('/').slice(4).join('/');
    const query = queryText === '' ? '' : `?${queryText}`;
    const Location = `${movedTo}${rest === '' ? '' : `/${rest}`}${query}`;
    return { status: 308, headers: { Location } };
  }

  #validBody(route: Route, body: unknown, file: FileBody | undefined): unknown {
    return file === undefined ? this.#parts.validatorOf(route).body(body) : undefined;
  }

  #call(given: Pick<Findings, 'params' | 'query' | 'body' | 'file'>): Call {
    const { params, query, body, file } = given;
    const findings = {
      params,
      query,
      body,
      file,
      principal: this.#principal,
      requestId: this.requestId,
    };
    return new ReceivedCall(this.#incoming, findings, () => this.#signal);
  }

  /** Runs the handler, or repeats what it answered to the same Idempotency-Key before. */
  async #once(
    route: Route,
    bytes: Uint8Array,
    run: { call: Call; negotiated: Negotiated },
  ): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    const [incoming, principal] = [this.#incoming, this.#principal];
    const claim = readClaim(route, { incoming, principal, bytes, body: run.call.body });
    const store = this.#parts.idempotency;
    if (claim === undefined || store === undefined) {
      const reply = await route.handler(run.call);
      return { reply, encoded: encodeReply(reply, run.negotiated) };
    }
    const stored = await replay(store, claim);
    if (stored !== undefined) {
      const { 'Content-Type': _type, ...headers } = stored.headers;
      const replayed = { ...headers, 'Idempotency-Replayed': 'true' };
      return { reply: { status: stored.status, headers: replayed }, encoded: encodeStored(stored) };
    }
    const answer = await this.#attempt(route, run);
    const { reply, encoded } = answer;
    const status = reply.status ?? 200;
    if (status >= 500 || (encoded !== undefined && 'pieces' in encoded)) {
      await store.forget(claim);
    } else {
      const headers = { ...reply.headers, ...(encoded && { 'Content-Type': encoded.type }) };
      const body = encoded?.whole ?? noBytes;
      await store.finish(claim, { status, headers, body });
    }
    return answer;
  }

  /** A refusal is an answer too: it is stored like any other below 500. */
  async #attempt(
    route: Route,
    run: { call: Call; negotiated: Negotiated },
  ): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    try {
      const reply = await route.handler(run.call);
      return { reply, encoded: encodeReply(reply, run.negotiated) };
    } catch (error) {
      return this.#problem(error);
    }
  }

  #context(): Parameters<typeof finish>[2] {
    const { method, headers } = this.#incoming;
    return {
      method,
      headers,
      host: this.#host,
      requestId: this.requestId,
      hasScope: this.#route !== undefined && this.#route.scope !== null,
      rateLimit: this.#rateLimitHeader,
      closesConnection: this.#closesConnection || this.#parts.isDraining(),
    };
  }

  #facts(): { requestId: string; method: string; route: string } {
    const { method } = this.#incoming;
    return { requestId: this.requestId, method, route: this.#route?.path ?? 'unmatched' };
  }

  get #signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  #abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
    for (const action of this.#abortActions) action();
  }
}

const noBytes = Buffer.alloc(0);

function preflight(allow: string, host: Host): Record<string, string> {
  if (host === 'site') return { Allow: allow };
  return {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Content-Encoding, Accept, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id, Traceparent',
    'Access-Control-Max-Age': '86400',
  };
}
