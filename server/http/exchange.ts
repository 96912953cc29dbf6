import type { HttpResponse } from 'uWebSockets.js';

import { actionOf } from '../model/access.ts';
import { asFailure } from '../model/as-failure.ts';
import { Failure } from '../model/failure.ts';
import { cellsPerUnit } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import { AnswerRight } from './answer-right.ts';
import { OpenAnswer } from './answers.ts';
import { checkAnnouncedLength, IncomingBody, noRoom } from './body.ts';
import type { HeldBytes } from './byte-budget.ts';
import { unmet } from './conditional.ts';
import { readContent, readingOf, type Content } from './content.ts';
import type { EdgeParts } from './edge.ts';
import type { Encoded } from './encode.ts';
import { checkScope, movedReply, pathParams, unmatched } from './entry.ts';
import { draining, type Handshake } from './handshake.ts';
import { isPlainlyFramed, type Incoming } from './incoming.ts';
import { negotiate, negotiateProblem, type Negotiated } from './negotiate.ts';
import { isFault, problemReply } from './problem.ts';
import { encodeReply, encodeStored, finish } from './render.ts';
import { ReceivedCall } from './received-call.ts';
import type { Findings } from './received-call.ts';
import { keepAnswer, keyedCall, readClaim, replay } from './repeat.ts';
import type { Call, Host, Reply, Route } from './route.ts';
import type { Match } from './router.ts';
import { letGo, send, weightOf, type Connection, type ReadyAnswer } from './send.ts';
import { bodyLimitOf } from './spooling.ts';
import type { AgreedSocket, ShownCredential } from './socket-route.ts';

/** One request and its answer, from the first header to the last byte sent. */
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
  /** Set once the principal may do what was asked. */
  #right: AnswerRight | undefined;
  /**
   * Path parameters of the matched route; with the id of the workbook when the path names owner and
   * space.
   */
  #named: Readonly<Record<string, string>> = {};
  #body: { readonly body: IncomingBody; readonly held: HeldBytes } | undefined;
  /** Ends counting this request among the running ones of its principal. */
  #leave = (): void => undefined;
  #rateLimitHeader: string | undefined;
  /** True when the connection must be closed, because the body was not read to its end. */
  #closesConnection = false;
  readonly #handshake: Handshake | undefined;
  #shown: ShownCredential | undefined;
  #agreed: AgreedSocket | undefined;

  /** Takes the handshake of a request that asks for a websocket. */
  constructor(res: HttpResponse, incoming: Incoming, parts: EdgeParts, handshake?: Handshake) {
    this.res = res;
    this.#incoming = incoming;
    this.#parts = parts;
    this.#handshake = handshake;
    this.requestId = parts.requestIdOf(incoming.headers.get('x-request-id'));
    res.onAborted(() => this.#abort());
  }

  isAborted(): boolean {
    return this.#aborted;
  }

  whenAborted(action: () => void): void {
    this.#abortActions.push(action);
  }

  /** Handles the request. Always answers, never rejects. */
  async run(): Promise<void> {
    const startedMilliseconds = performance.now();
    let status = 0;
    let cells = 0;
    try {
      const made = await this.#outgoing();
      status = made.outgoing.status;
      cells = made.reply.cells ?? 0;
      await this.#deliver(made);
    } catch (error) {
      // The head may have been sent, so the connection must be cut off.
      this.#parts.observer.failed(error, this.#facts());
      this.#cut();
    }
    await this.#closeBody();
    this.#leave();
    for (const action of this.#abortActions) action();
    const seconds = (performance.now() - startedMilliseconds) / 1000;
    this.#parts.observer.finished({
      ...this.#facts(),
      status,
      seconds,
      aborted: this.#aborted,
      address: this.#incoming.address,
      userId: this.#principal?.userId,
      cells,
    });
  }

  async #deliver(ready: ReadyAnswer): Promise<void> {
    if (!this.#aborted) this.#body?.body.discard();
    const unwatch = this.#right?.watch(ready, () => this.#cut());
    try {
      if (this.#agreed) await this.#handshake?.upgrade(this, this.#incoming, this.#agreed);
      else await send(this, ready.outgoing, ready.answer);
    } finally {
      unwatch?.();
      ready.answer.close();
      if (ready.outgoing.headOnly || this.#aborted) await letGo(ready.outgoing);
    }
  }

  async #closeBody(): Promise<void> {
    this.#body?.held.close();
    try {
      await this.#body?.body.close();
    } catch (error) {
      // A file that is left in the spool is deleted later.
      this.#parts.observer.failed(error, this.#facts());
    }
  }

  /** Reserves memory for the answer; without any, or without a right to it, it is a failure. */
  async #outgoing(): Promise<ReadyAnswer> {
    const answered = await this.#answer();
    const outgoing = await finish(answered.reply, answered.encoded, this.#context());
    const { answers } = this.#parts;
    const cut = (): void => this.#cut();
    const lost = (await this.#right?.lost(answered.reply)) ?? unmet(answered.reply, this.#incoming);
    const weight = weightOf(answered.reply, outgoing);
    const answer = lost === undefined ? answers.open(this.#key, weight, cut) : undefined;
    if (answer instanceof OpenAnswer) return { reply: answered.reply, outgoing, answer };
    await letGo(outgoing);
    const { reply, encoded } = this.#problem(answer === undefined ? lost : noRoom(answer));
    const refusal = await finish(reply, encoded, this.#context());
    const small = answers.open(this.#key, 0, cut);
    if (!(small instanceof OpenAnswer)) throw new Error('an answer without bytes has no room');
    return { reply, outgoing: refusal, answer: small };
  }

  /** Key whose share of memory this request uses. */
  get #key(): string {
    return this.#principal?.userId ?? this.#incoming.address;
  }

  #cut(): void {
    if (!this.#aborted) this.res.close();
  }

  async #answer(): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    try {
      const prepared = this.#prepare();
      if ('route' in prepared) return await this.#serve(prepared);
      return { reply: prepared, encoded: undefined };
    } catch (error) {
      return this.#refusal(error);
    }
  }

  /** The answer to a request that failed; what a purge took away is not missing for itself. */
  async #refusal(error: unknown): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    return this.#problem(this.#right ? await this.#right.whyMissing(error) : error);
  }

  #problem(error: unknown): { reply: Reply; encoded: Encoded | undefined } {
    const failure = asFailure(error);
    // Work that was given up because the client is gone ends with this reason.
    const isGivenUp = this.#aborted && error === this.#controller?.signal.reason;
    if (isFault(failure) && !isGivenUp) this.#parts.observer.failed(error, this.#facts());
    if (failure.status === 413 || failure.status === 408) this.#closesConnection = true;
    const [{ requestId }, { addresses }] = [this, this.#parts];
    const [host, named] = [this.#host, this.#named];
    const { resource = '' } = this.#route ?? {};
    const reply = problemReply(failure, { host, requestId, addresses, named, resource });
    const negotiated = negotiateProblem(this.#incoming.headers.get('accept'));
    return { reply, encoded: encodeReply(reply, negotiated) };
  }

  /** Answers requests that need no body. Starts to read the body, which must begin at once. */
  #prepare(): Match | Reply {
    const { method, path, headers, repeatedHeader } = this.#incoming;
    if (repeatedHeader !== undefined) {
      throw new Failure('invalidRequest', { detail: `The header ${repeatedHeader} came twice.` });
    }
    if (!isPlainlyFramed(headers)) {
      this.#closesConnection = true;
      throw new Failure('invalidRequest', { detail: 'Transfer-Encoding can only be chunked.' });
    }
    const hosts = this.#parts.hostNames.hostsOf(headers.get('host'), path);
    const match = this.#parts.router.match(method, path, hosts);
    if (match.route === undefined) {
      this.#host = match.host;
      return unmatched(match.allowed, this.#incoming, { host: match.host, ...this.#parts });
    }
    this.#host = match.route.host;
    this.#route = match.route;
    this.#named = match.params;
    if (!this.#hasBody) return match;
    const limit = bodyLimitOf(match.route, headers, this.#parts);
    checkAnnouncedLength(headers.get('content-length'), limit.bytes);
    const held = this.#parts.bodies.open(this.#key);
    const body = new IncomingBody(this.res, limit, held);
    this.#body = { body, held };
    this.whenAborted(() => {
      if (this.#aborted) body.abort();
    });
    return match;
  }

  get #hasBody(): boolean {
    const { headers, method } = this.#incoming;
    if (method === 'GET' || method === 'HEAD') return false;
    const length = headers.get('content-length');
    return headers.has('transfer-encoding') || (length !== undefined && length !== '0');
  }

  async #serve(match: Match): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    const { route } = match;
    const { headers, address } = this.#incoming;
    this.#principal = await this.#authorise(route);
    const kind = route.limit ?? (route.method === 'GET' ? 'read' : 'write');
    const { limits } = this.#parts;
    const bucket = kind === 'none' ? undefined : limits.take(kind, this.#principal, address);
    if (bucket) this.#rateLimitHeader = `"${kind}";r=${bucket.remaining};t=60`;
    this.#leave = limits.enter(this.#principal);
    const negotiated = negotiate(headers.get('accept'), route);
    const validator = this.#parts.validatorOf(route);
    const query = validator.query(this.#incoming.queryText);
    const found = await pathParams(match, this.#principal, this.#parts.resolveWorkbook);
    if ('movedTo' in found) return { reply: movedReply(found, this.#incoming), encoded: undefined };
    this.#named = found.params;
    const params = validator.params(found.params);
    await this.#checkRole(route, found.params);
    this.#right = this.#rightTo(route, found.params);
    const asked = { params, query, body: undefined, file: undefined };
    if (this.#shown) return this.#agree(route, this.#call(asked), this.#shown);
    const content = await this.#content(route, { params, query });
    const { bytes, file, isChecked } = content;
    const body = isChecked ? content.body : validator.body(content.body);
    await this.#checkAgain(route, found.params);
    const call = this.#call({ params, query, body, file });
    const answer = await this.#once(route, bytes, { call, negotiated });
    bucket?.charge(Math.floor((answer.reply.cells ?? 0) / cellsPerUnit));
    if (route.goesOn === true) this.#leaveEarly();
    return answer;
  }

  #leaveEarly(): void {
    this.#leave();
    this.#leave = () => undefined;
  }

  /** Answers a handshake; fails when it is refused. */
  async #agree(
    route: Route,
    call: Call,
    shown: ShownCredential,
  ): Promise<{ reply: Reply; encoded: undefined }> {
    if (this.#parts.isDraining()) throw draining();
    this.#agreed = await route.socket?.agree(call, shown);
    return { reply: { status: 101 }, encoded: undefined };
  }

  /** Reads the body, after the sender was admitted and the media type checked. */
  async #content(
    route: Route,
    { params, query }: Pick<Findings, 'params' | 'query'>,
  ): Promise<Content> {
    await route.admit?.({ params, query, principal: this.#principal });
    const { headers } = this.#incoming;
    if (this.#body !== undefined) {
      if (headers.has('content-type')) readingOf(route, headers);
      this.#body.body.admit(this.#key);
    }
    const { largeBodies } = this.#parts;
    const signal = (): AbortSignal => this.#signal;
    return readContent(route, headers, this.#body, { largeBodies, signal });
  }

  async #authorise(route: Route): Promise<Principal | undefined> {
    if (route.scope === null) return undefined;
    const { headers, address } = this.#incoming;
    this.#shown = await this.#handshake?.show(route, this.#incoming);
    const principal =
      this.#shown?.principal ??
      (await this.#parts.authenticate(headers.get('authorization'), address));
    checkScope(principal, route.scope, this.#parts.addresses);
    return principal;
  }

  /** Checks the role for the workbook; here, so that no handler can forget it. */
  async #checkRole(route: Route, { id }: Readonly<Record<string, string>>): Promise<void> {
    const action = actionOf(route.method, route.path);
    if (action === undefined || this.#principal === undefined) return;
    const hasBody = this.#body !== undefined;
    await this.#parts.checkAccess?.(id, { action, hasBody }, this.#principal);
  }

  /** Checks what may have changed while a body came; who sends none has just been checked. */
  async #checkAgain(route: Route, params: Readonly<Record<string, string>>): Promise<void> {
    if (this.#body) await this.#right?.check(() => this.#checkRole(route, params));
  }

  #rightTo(route: Route, params: Readonly<Record<string, string>>): AnswerRight | undefined {
    const { rights, environment } = this.#parts;
    // A socket watches over its own.
    if (!rights || !this.#principal || this.#shown) return undefined;
    return new AnswerRight({ rights, environment }, { route, incoming: this.#incoming, params });
  }

  #call(given: Pick<Findings, 'params' | 'query' | 'body' | 'file'>): ReceivedCall {
    const { params, query, body, file } = given;
    const { requestId } = this;
    const findings = { params, query, body, file, principal: this.#principal, requestId };
    return new ReceivedCall(this.#incoming, findings, {
      signal: () => this.#signal,
      draw: (kind) => {
        this.#parts.limits.take(kind, this.#principal, this.#incoming.address);
      },
    });
  }

  /** Runs the handler, or repeats the stored answer for its Idempotency-Key. */
  async #once(
    route: Route,
    bytes: Uint8Array,
    run: { call: ReceivedCall; negotiated: Negotiated },
  ): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    const [incoming, principal] = [this.#incoming, this.#principal];
    const claim = readClaim(route, { incoming, principal, bytes, body: run.call.body });
    const store = this.#parts.idempotency;
    if (claim === undefined || store === undefined) {
      const reply = await route.handler(run.call);
      return { reply, encoded: encodeReply(reply, run.negotiated) };
    }
    const earlier = await replay(store, claim);
    if ('answer' in earlier) {
      const { answer: stored } = earlier;
      const { 'Content-Type': _type, ...headers } = stored.headers;
      const replayed = { ...headers, 'Idempotency-Replayed': 'true' };
      return { reply: { status: stored.status, headers: replayed }, encoded: encodeStored(stored) };
    }
    const keyed = keyedCall(store, earlier.run, run.negotiated);
    const answer = await this.#attempt(route, { ...run, call: run.call.under(keyed) });
    await keepAnswer(store, earlier.run, keyed, answer);
    return answer;
  }

  /** Failures below 500 are stored as answers too. */
  async #attempt(
    route: Route,
    run: { call: Call; negotiated: Negotiated },
  ): Promise<{ reply: Reply; encoded: Encoded | undefined }> {
    try {
      const reply = await route.handler(run.call);
      return { reply, encoded: encodeReply(reply, run.negotiated) };
    } catch (error) {
      return this.#refusal(error);
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
