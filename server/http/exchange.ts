import type { HttpResponse } from 'uWebSockets.js';

import { asFailure } from '../model/as-failure.ts';
import { Failure } from '../model/failure.ts';
import { cellsPerUnit } from '../model/limits.ts';
import { AnswerRight } from './answer-right.ts';
import { OpenAnswer } from './answers.ts';
import { checkAnnouncedLength, IncomingBody, noRoom } from './body.ts';
import type { HeldBytes } from './byte-budget.ts';
import { Caller } from './caller.ts';
import { ClientConnection } from './client-connection.ts';
import { unmet } from './conditional.ts';
import { readContent, readingOf, type Content } from './content.ts';
import type { EdgeParts } from './edge.ts';
import { movedReply, pathParams, unmatched } from './entry.ts';
import { draining, type Handshake } from './handshake.ts';
import { hasBody, isPlainlyFramed, type Incoming } from './incoming.ts';
import { negotiate, negotiateProblem, type Negotiated } from './negotiate.ts';
import { isFault, problemReply } from './problem.ts';
import { encodeReply, finish } from './render.ts';
import { ReceivedCall } from './received-call.ts';
import type { Findings } from './received-call.ts';
import { answerKeyed, readClaim, type Answered } from './repeat.ts';
import type { Call, Host, Reply, Route } from './route.ts';
import type { Match } from './router.ts';
import { letGo, send, weightOf, type ReadyAnswer } from './send.ts';
import { bodyLimitOf } from './spooling.ts';
import type { AgreedSocket, ShownCredential } from './socket-route.ts';

/** One request and its answer, from the first header to the last byte sent. */
export class Exchange {
  readonly requestId: string;
  readonly #connection: ClientConnection;
  readonly #caller: Caller;
  readonly #incoming: Incoming;
  readonly #parts: EdgeParts;
  #route: Route | undefined;
  #host: Host = 'api';
  /** Set once the principal may do what was asked. */
  #right: AnswerRight | undefined;
  /**
   * Path parameters of the matched route; with the id of the workbook when the path names owner and
   * space.
   */
  #named: Readonly<Record<string, string>> = {};
  #body: { readonly body: IncomingBody; readonly held: HeldBytes } | undefined;
  /** True when the connection must be closed, because the body was not read to its end. */
  #closesConnection = false;
  readonly #handshake: Handshake | undefined;
  #agreed: AgreedSocket | undefined;

  /** Takes the handshake of a request that asks for a websocket. */
  constructor(res: HttpResponse, incoming: Incoming, parts: EdgeParts, handshake?: Handshake) {
    this.#connection = new ClientConnection(res);
    this.#caller = new Caller(incoming, parts);
    this.#incoming = incoming;
    this.#parts = parts;
    this.#handshake = handshake;
    this.requestId = parts.requestIdOf(incoming.headers.get('x-request-id'));
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
      this.#connection.cut();
    }
    await this.#closeBody();
    this.#caller.leave();
    this.#connection.over();
    const seconds = (performance.now() - startedMilliseconds) / 1000;
    this.#parts.observer.finished({
      ...this.#facts(),
      status,
      seconds,
      aborted: this.#connection.isAborted(),
      address: this.#incoming.address,
      userId: this.#caller.principal?.userId,
      cells,
    });
  }

  async #deliver(ready: ReadyAnswer): Promise<void> {
    const connection = this.#connection;
    if (!connection.isAborted()) this.#body?.body.discard();
    const unwatch = this.#right?.watch(ready, () => connection.cut());
    try {
      if (this.#agreed) await this.#handshake?.upgrade(connection, this.#incoming, this.#agreed);
      else await send(connection, ready.outgoing, ready.answer);
    } finally {
      unwatch?.();
      ready.answer.close();
      if (ready.outgoing.headOnly || connection.isAborted()) await letGo(ready.outgoing);
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
    const cut = (): void => this.#connection.cut();
    const lost = (await this.#right?.lost(answered.reply)) ?? unmet(answered.reply, this.#incoming);
    const weight = weightOf(answered.reply, outgoing);
    const answer = lost === undefined ? answers.open(this.#caller.key, weight, cut) : undefined;
    if (answer instanceof OpenAnswer) return { reply: answered.reply, outgoing, answer };
    await letGo(outgoing);
    const { reply, encoded } = this.#problem(answer === undefined ? lost : noRoom(answer));
    const refusal = await finish(reply, encoded, this.#context());
    const small = answers.open(this.#caller.key, 0, cut);
    if (!(small instanceof OpenAnswer)) throw new Error('an answer without bytes has no room');
    return { reply, outgoing: refusal, answer: small };
  }

  async #answer(): Promise<Answered> {
    try {
      const prepared = this.#prepare();
      if ('route' in prepared) return await this.#serve(prepared);
      return { reply: prepared, encoded: undefined };
    } catch (error) {
      return this.#refusal(error);
    }
  }

  /** The answer to a request that failed; what a purge took away is not missing for itself. */
  async #refusal(error: unknown): Promise<Answered> {
    return this.#problem(this.#right ? await this.#right.whyMissing(error) : error);
  }

  #problem(error: unknown): Answered {
    const failure = asFailure(error);
    // Work that was given up because the client is gone ends with this reason.
    const isGivenUp = this.#connection.hasGivenUp(error);
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
    if (!hasBody(this.#incoming)) return match;
    const limit = bodyLimitOf(match.route, headers, this.#parts);
    checkAnnouncedLength(headers.get('content-length'), limit.bytes);
    const held = this.#parts.bodies.open(this.#caller.key);
    const connection = this.#connection;
    const body = new IncomingBody(connection.res, limit, held);
    this.#body = { body, held };
    connection.whenAborted(() => {
      if (connection.isAborted()) body.abort();
    });
    return match;
  }

  async #serve(match: Match): Promise<Answered> {
    const { route } = match;
    const { headers } = this.#incoming;
    await this.#caller.authorise(route, this.#handshake);
    const bucket = this.#caller.enter(route);
    const negotiated = negotiate(headers.get('accept'), route);
    const validator = this.#parts.validatorOf(route);
    const query = validator.query(this.#incoming.queryText);
    const found = await pathParams(match, this.#caller.principal, this.#parts.resolveWorkbook);
    if ('movedTo' in found) return { reply: movedReply(found, this.#incoming), encoded: undefined };
    this.#named = found.params;
    const params = validator.params(found.params);
    await this.#checkRole(route, found.params);
    this.#right = this.#rightTo(route, found.params);
    const asked = { params, query, body: undefined, file: undefined };
    if (this.#caller.shown) return this.#agree(route, this.#call(asked), this.#caller.shown);
    const content = await this.#content(route, { params, query });
    const { bytes, file, isChecked } = content;
    const body = isChecked ? content.body : validator.body(content.body);
    // Rights may have ended while a body came; who sends none has just been checked.
    if (this.#body) await this.#right?.check(() => this.#checkRole(route, found.params));
    const call = this.#call({ params, query, body, file });
    const answer = await this.#once(route, bytes, { call, negotiated });
    bucket?.charge(Math.floor((answer.reply.cells ?? 0) / cellsPerUnit));
    if (route.goesOn === true) this.#caller.leave();
    return answer;
  }

  /** Answers a handshake; fails when it is refused. */
  async #agree(route: Route, call: Call, shown: ShownCredential): Promise<Answered> {
    if (this.#parts.isDraining()) throw draining();
    this.#agreed = await route.socket?.agree(call, shown);
    return { reply: { status: 101 }, encoded: undefined };
  }

  /** Reads the body, after the sender was admitted and the media type checked. */
  async #content(
    route: Route,
    { params, query }: Pick<Findings, 'params' | 'query'>,
  ): Promise<Content> {
    await route.admit?.({ params, query, principal: this.#caller.principal });
    const { headers } = this.#incoming;
    if (this.#body !== undefined) {
      if (headers.has('content-type')) readingOf(route, headers);
      this.#body.body.admit(this.#caller.key);
    }
    const { largeBodies } = this.#parts;
    const signal = (): AbortSignal => this.#connection.signal;
    return readContent(route, headers, this.#body, { largeBodies, signal });
  }

  #checkRole(route: Route, params: Readonly<Record<string, string>>): Promise<void> {
    return this.#caller.checkRole(route, params, this.#body !== undefined);
  }

  #rightTo(route: Route, params: Readonly<Record<string, string>>): AnswerRight | undefined {
    const { rights, environment } = this.#parts;
    // A socket watches over its own.
    if (!rights || !this.#caller.principal || this.#caller.shown) return undefined;
    return new AnswerRight({ rights, environment }, { route, incoming: this.#incoming, params });
  }

  #call(given: Pick<Findings, 'params' | 'query' | 'body' | 'file'>): ReceivedCall {
    const { params, query, body, file } = given;
    const { requestId } = this;
    const findings = { params, query, body, file, principal: this.#caller.principal, requestId };
    return new ReceivedCall(this.#incoming, findings, {
      signal: () => this.#connection.signal,
      draw: (kind) => {
        this.#caller.take(kind);
      },
    });
  }

  /** Runs the handler, or repeats the stored answer for its Idempotency-Key. */
  async #once(
    route: Route,
    bytes: Uint8Array,
    run: { call: ReceivedCall; negotiated: Negotiated },
  ): Promise<Answered> {
    const [incoming, principal] = [this.#incoming, this.#caller.principal];
    const claim = readClaim(route, { incoming, principal, bytes, body: run.call.body });
    const store = this.#parts.idempotency;
    if (claim === undefined || store === undefined) {
      const reply = await route.handler(run.call);
      return { reply, encoded: encodeReply(reply, run.negotiated) };
    }
    return answerKeyed(store, claim, {
      negotiated: run.negotiated,
      handle: (key) => route.handler(run.call.under(key)),
      refusal: (error) => this.#refusal(error),
    });
  }

  #context(): Parameters<typeof finish>[2] {
    const { method, headers } = this.#incoming;
    return {
      method,
      headers,
      host: this.#host,
      requestId: this.requestId,
      hasScope: this.#route !== undefined && this.#route.scope !== null,
      rateLimit: this.#caller.rateLimit,
      closesConnection: this.#closesConnection || this.#parts.isDraining(),
    };
  }

  #facts(): { requestId: string; method: string; route: string } {
    const { method } = this.#incoming;
    return { requestId: this.requestId, method, route: this.#route?.path ?? 'unmatched' };
  }
}
