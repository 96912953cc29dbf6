import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { isObject } from '../model/plain-json.ts';
import type { Rights } from '../model/rights.ts';
import type { Principal } from '../model/scope.ts';
import { answerBatch } from './batch.ts';
import type { Catalogue } from './catalogue.ts';
import { RunningRequest, type McpCall, type McpContext } from './context.ts';
import { checkArgumentHeaders, commonMethods, type Method, type MethodResult } from './methods.ts';
import { badParams, ProtocolFault } from './protocol/fault.ts';
import { EventStream } from './protocol/event-stream.ts';
import { agreedVersion, readEnvelope, type Envelope } from './protocol/generation.ts';
import {
  idOf,
  readMessage,
  type JsonObject,
  type Message,
  type RequestId,
  type RequestMessage,
} from './protocol/message.ts';
import { errorCodes, headerNames, metaKeys, statelessVersion } from './protocol/names.ts';
import { ReadRight } from './read-right.ts';
import { Sessions, type Session } from './sessions.ts';
import { Subscriptions, type Subscriber } from './subscriptions.ts';
import { hintFor } from './tools/hints.ts';

/** The answer that the edge is to send. */
export interface McpAnswer {
  readonly status: number;
  readonly message?: object;
  readonly stream?: EventStream;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cells?: number;
}

export interface McpServerParts {
  readonly catalogue: Catalogue;
  readonly rights: Rights;
  readonly environment: Environment;
  /** Name, version and the like, as clients show them. */
  readonly info: JsonObject;
  /** Introduction for a model, before any tool. */
  readonly instructions: string;
  /** Any error as one of the catalogue of failures. */
  readonly failureOf: (error: unknown) => Failure;
  readonly report: (step: string, error: unknown) => void;
}

const accepted: McpAnswer = { status: 202 };
const noSession: McpAnswer = {
  status: 404,
  message: {
    jsonrpc: '2.0',
    id: null,
    error: { code: errorCodes.invalidRequest, message: 'The session has ended: send initialize.' },
  },
};

/** Serves the Model Context Protocol, in both generations, over any transport. */
export class McpServer {
  readonly #parts: McpServerParts;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #sessions: Sessions;
  readonly #subscriptions: Subscriptions;
  /** Requests that can be cancelled, by principal, session and the client's request id. */
  readonly #running = new Map<string, RunningRequest>();

  constructor(parts: McpServerParts) {
    this.#parts = parts;
    this.#methods = commonMethods(parts.catalogue);
    this.#sessions = new Sessions(parts.environment);
    const { resources } = parts.catalogue;
    this.#subscriptions = new Subscriptions({ ...parts, resources });
  }

  /** Ends all streams; nothing else is under way without requests. */
  async stop(): Promise<void> {
    this.#subscriptions.stop();
    this.#sessions.stop();
  }

  /** One message, or a list of them. Fails only with what the edge answers for every route, such as a missing scope. */
  async post(call: McpCall): Promise<McpAnswer> {
    try {
      if (Array.isArray(call.body))
        return await answerBatch(call.body, call, (one) => this.#post(one));
      return await this.#post(call);
    } catch (error) {
      return this.#refusal(error, null, call);
    }
  }

  async #post(call: McpCall): Promise<McpAnswer> {
    try {
      const message = readMessage(call.body);
      if (message.kind === 'response') return accepted;
      const envelope = readEnvelope(message, call.header);
      const sessionId = envelope.isStateless ? undefined : call.header(headerNames.session);
      if (this.#hasEnded({ call, sessionId })) return noSession;
      if (message.kind === 'notification') {
        this.#heed(message, call, sessionId);
        return accepted;
      }
      return await this.#serve(message, { envelope, call, sessionId });
    } catch (error) {
      return this.#refusal(error, idOf(call.body), call);
    }
  }

  #hasEnded({ call, sessionId }: Pick<Serving, 'call' | 'sessionId'>): boolean {
    return sessionId !== undefined && this.#sessions.isEnded(sessionId, call.principal);
  }

  /** The stream of a session of the older generation; undefined where there is none to be had. */
  get(call: Pick<McpCall, 'header' | 'principal'>): McpAnswer | undefined {
    const { header, principal } = call;
    const id = header(headerNames.session);
    if (id === undefined || header(headerNames.version) === statelessVersion) return undefined;
    const session = this.#sessions.open(id, principal);
    if (!session) return noSession;
    return { status: 200, stream: this.#subscriptions.stream(session, subscriberOf(call)) };
  }

  /** Ends a session of the older generation; undefined where none is named. */
  delete({ header, principal }: Pick<McpCall, 'header' | 'principal'>): McpAnswer | undefined {
    const id = header(headerNames.session);
    if (id === undefined) return undefined;
    this.#sessions.end(id, principal);
    const ofSession = runsOf(principal, id);
    for (const [key, running] of this.#running) if (key.startsWith(ofSession)) running.cancel();
    return { status: 204 };
  }

  async #serve(request: RequestMessage, how: Serving): Promise<McpAnswer> {
    const { envelope, call } = how;
    const { id, method, params } = request;
    if (envelope.isStateless && method === 'subscriptions/listen') {
      const subscriber = subscriberOf(call);
      const stream = await this.#subscriptions.listen({ id, params, subscriber }, this.#parts.info);
      call.signal.addEventListener('abort', () => stream.end(), { once: true });
      return { status: 200, stream };
    }
    if (!envelope.isStateless && method === 'initialize') return this.#initialize(request);
    const run = this.#methodOf(request, how);
    if (envelope.isStateless && method === 'tools/call') {
      checkArgumentHeaders(this.#parts.catalogue.tools, params, call.header);
    }
    return this.#run(request, run, how);
  }

  #initialize({ id, params }: RequestMessage): McpAnswer {
    const { info, instructions } = this.#parts;
    const result = {
      protocolVersion: agreedVersion(params),
      capabilities: { ...capabilities, resources: { subscribe: true } },
      serverInfo: info,
      instructions,
    };
    const headers = { [headerNames.session]: this.#sessions.newId() };
    return { status: 200, headers, message: { jsonrpc: '2.0', id, result } };
  }

  #methodOf({ method }: RequestMessage, { envelope, call, sessionId }: Serving): Method {
    const common = this.#methods.get(method);
    if (common) return common;
    if (envelope.isStateless) {
      if (method === 'server/discover') return async () => this.#discovery();
      throw noMethod(method, 404);
    }
    if (method === 'ping') return async () => ({ result: {} });
    const session = () => this.#sessionOf(sessionId, call);
    if (method === 'resources/subscribe') {
      return async (params) => {
        await this.#subscriptions.subscribe(session(), uriOf(params), subscriberOf(call));
        return { result: {} };
      };
    }
    if (method === 'resources/unsubscribe') {
      return async (params) => {
        this.#subscriptions.unsubscribe(session(), uriOf(params));
        return { result: {} };
      };
    }
    throw noMethod(method, 200);
  }

  #sessionOf(id: string | undefined, { principal }: McpCall): Session {
    const session = id === undefined ? undefined : this.#sessions.open(id, principal);
    if (session) return session;
    throw badParams(
      `Subscriptions need the header ${headerNames.session} that initialize answered.`,
    );
  }

  #discovery(): MethodResult {
    const { instructions } = this.#parts;
    const supported = { ...capabilities, resources: { subscribe: true } };
    const result = { supportedVersions: [statelessVersion], capabilities: supported, instructions };
    return { result, fresh: { ttlMs: 3_600_000, cacheScope: 'public' } };
  }

  /** Answers with one message, or with a stream from the moment on that there is more to tell. */
  async #run(request: RequestMessage, method: Method, how: Serving): Promise<McpAnswer> {
    const { call, envelope } = how;
    const running = new RunningRequest(call);
    const key = runKey(call, how.sessionId, request.id);
    const progress = new Progress(request, call, this.#parts.environment);
    const right = new ReadRight(this.#parts, call.header('authorization'));
    const context = contextOf(running, { request, how, progress, right });
    if (!envelope.isStateless) this.#running.set(key, running);
    const finished = method(request.params, context).finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    const { begun } = progress;
    const first = begun ? await Promise.race([finished, begun]) : await finished;
    if (!(first instanceof EventStream)) {
      if (this.#hasEnded(how)) return noSession;
      return this.#answer(request, first, envelope);
    }
    void this.#finish(first, finished, { request, how });
    return { status: 200, stream: first };
  }

  /** The result goes out as the last message of a stream that has begun. */
  async #finish(
    stream: EventStream,
    finished: Promise<MethodResult>,
    { request, how }: { readonly request: RequestMessage; readonly how: Serving },
  ): Promise<void> {
    try {
      const { message } = this.#answer(request, await finished, how.envelope);
      if (message && !this.#hasEnded(how)) stream.send(message);
    } catch (error) {
      const { message } = this.#told(error, request.id, how.call);
      if (message) stream.send(message);
    }
    stream.end();
  }

  #answer({ id }: RequestMessage, done: MethodResult, { isStateless }: Envelope): McpAnswer {
    const { result, fresh, cells } = done;
    const whole = isStateless ? this.#stamped(result, fresh) : result;
    const answer = { status: 200, message: { jsonrpc: '2.0', id, result: whole } };
    return cells === undefined ? answer : { ...answer, cells };
  }

  #stamped(result: JsonObject, fresh: MethodResult['fresh']): JsonObject {
    const _meta = { [metaKeys.serverInfo]: this.#parts.info };
    return { resultType: 'complete', ...result, ...fresh, _meta };
  }

  #heed(
    { method, params }: Extract<Message, { kind: 'notification' }>,
    call: McpCall,
    sessionId: string | undefined,
  ): void {
    const { requestId } = params;
    if (method !== 'notifications/cancelled') return;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    this.#running.get(runKey(call, sessionId, requestId))?.cancel();
  }

  #refusal(error: unknown, id: RequestId | null, call: McpCall): McpAnswer {
    if (error instanceof Failure && isOfEdge(error)) throw error;
    return this.#told(error, id, call);
  }

  /** An error as the protocol tells of it. */
  #told(error: unknown, id: RequestId | null, { requestId }: McpCall): McpAnswer {
    if (error instanceof ProtocolFault) {
      const { code, message, data, status } = error;
      const fault = data === undefined ? { code, message } : { code, message, data };
      return { status, message: { jsonrpc: '2.0', id, error: fault } };
    }
    const failure = this.#parts.failureOf(error);
    const { code: reason, detail, extra, status } = failure;
    const hint = hintFor(failure, noArguments);
    if (status >= 500) this.#parts.report('answer a request of the MCP server', error);
    const code = status >= 500 ? errorCodes.internal : errorCodes.invalidParams;
    const data = { code: reason, ...(hint !== undefined && { hint }), ...extra, requestId };
    return { status: 200, message: { jsonrpc: '2.0', id, error: { code, message: detail, data } } };
  }
}

const noArguments: ReadonlySet<string> = new Set();

const capabilities = { tools: {}, prompts: {}, completions: {} } as const;

/** These are answered as on every other route: with a challenge, or a time to wait. */
const edgeKeys: ReadonlySet<string> = new Set(['insufficientScope', 'rateLimited']);

function isOfEdge({ key, status }: Failure): boolean {
  return status === 401 || edgeKeys.has(key);
}

interface Serving {
  readonly envelope: Envelope;
  readonly call: McpCall;
  readonly sessionId: string | undefined;
}

function noMethod(method: string, status: number): ProtocolFault {
  const message = `There is no method ${method.slice(0, 100)}.`;
  return new ProtocolFault(errorCodes.methodNotFound, message, { status });
}

function subscriberOf({ principal, header }: Pick<McpCall, 'principal' | 'header'>): Subscriber {
  return { principal, authorization: header('authorization') };
}

function uriOf({ uri }: JsonObject): string {
  if (typeof uri === 'string') return uri;
  throw badParams('"uri" says which resource is meant.');
}

function runKey({ principal }: McpCall, session = '', id: RequestId): string {
  return `${runsOf(principal, session)}${JSON.stringify(id)}`;
}

/** The beginning of the keys of all requests of a session. */
function runsOf({ credentialId }: Principal, session: string): string {
  return `${credentialId} ${session} `;
}

/** Progress of a request before its result, where its sender asks and can read it. */
class Progress {
  /** The stream, as soon as there is something to tell. */
  readonly begun: Promise<EventStream> | undefined;
  readonly #token: RequestId | undefined;
  readonly #environment: Environment;
  readonly #call: McpCall;
  #begin: ((stream: EventStream) => void) | undefined;
  #stream: EventStream | undefined;
  #done = -Infinity;

  constructor({ params }: RequestMessage, call: McpCall, environment: Environment) {
    this.#call = call;
    this.#environment = environment;
    const meta = params['_meta'];
    const token = isObject(meta) ? meta['progressToken'] : undefined;
    const isToken = typeof token === 'string' || typeof token === 'number';
    const reads = call.header('accept')?.includes('text/event-stream') === true;
    if (!isToken || !reads) return;
    this.#token = token;
    this.begun = new Promise((resolve) => (this.#begin = resolve));
  }

  tell(done: number, total?: number, message?: string): void {
    if (this.#token === undefined || done <= this.#done) return;
    this.#done = done;
    const stream = (this.#stream ??= this.#open());
    const said = { ...(total !== undefined && { total }), ...(message && { message }) };
    const params = { progressToken: this.#token, progress: done, ...said };
    stream.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
    this.#begin?.(stream);
  }

  #open(): EventStream {
    const stream = new EventStream(this.#environment);
    this.#call.signal.addEventListener('abort', () => stream.end(), { once: true });
    return stream;
  }
}

function contextOf(
  running: RunningRequest,
  {
    request: { params },
    how: { call, envelope },
    progress,
    right,
  }: Pick<McpContext, 'right'> & {
    readonly request: RequestMessage;
    readonly how: Serving;
    readonly progress: Progress;
  },
): McpContext {
  const { principal, address, requestId, draw } = call;
  const { inputResponses, requestState } = params;
  return {
    principal,
    right,
    address,
    requestId,
    draw,
    get signal() {
      return running.signal;
    },
    progress: (done, total, message) => progress.tell(done, total, message),
    capabilities: envelope.isStateless ? envelope.capabilities : {},
    answers: isObject(inputResponses) ? inputResponses : undefined,
    state: typeof requestState === 'string' ? requestState : undefined,
  };
}
