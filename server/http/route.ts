import type { z } from 'zod';

import type { SpooledBody } from '../model/body-spool.ts';
import type { Settle } from '../model/idempotency.ts';
import type { Principal, Scope } from '../model/scope.ts';
import type { TextRule } from '../model/text-rule.ts';
import type { SocketRoute } from './socket-route.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `any` is for documents that every host serves, such as discovery. */
export type Host = 'api' | 'auth' | 'site' | 'any';

/** A body that is neither JSON nor msgpack and goes to the handler as it came, unpacked. */
export interface FileBody {
  /** Media type without parameters, lower case. */
  readonly mediaType: string;
  /** The whole body in one buffer. */
  readonly bytes: Uint8Array;
  /** The body in pieces, each with a buffer of its own that another thread may be given. */
  readonly chunks: readonly Uint8Array[];
  /** Set instead of both, which are empty, when the body is too large for memory. */
  readonly spooled: SpooledBody | undefined;
}

/** One request as its handler sees it: parsed, authenticated, within limits. */
export interface Call<Params = unknown, Query = unknown, Body = unknown, Who = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Set instead of `body` when the request carries one of the route's `files` types. */
  readonly file: FileBody | undefined;
  /** Caller; undefined exactly on routes with `scope: null`. */
  readonly principal: Who;
  readonly requestId: string;
  /** The client's address as text, for limits and audit. */
  readonly address: string;
  /** Path of the request without its query, as sent. */
  readonly path: string;
  /** Query string as sent, without the question mark; for `next` links. */
  readonly queryText: string;
  /** Aborted when the client has gone; handlers of long work pass it on. */
  readonly signal: AbortSignal;
  /** Seconds the client is willing to wait (`Prefer: wait=n`), at most 10. */
  readonly waitSeconds: number | undefined;
  readonly header: (name: string) => string | undefined;
  /** Draws on one more limit than that of the route, or fails as the edge does. */
  readonly draw: (kind: 'read' | 'write') => void;
  /** Set while the request runs under an Idempotency-Key that the edge keeps the answer of. */
  readonly keyed: KeyedCall | undefined;
  /** Returns a copy of the call that asks with another query. */
  readonly asking: (query: object) => Call<Params, Query, Body, Who>;
}

/** The key that a request runs under: for work that has to be done once, whoever is killed. */
export interface KeyedCall {
  /**
   * Id of the run: the same when the request is sent again after its process died, and of no other
   * request.
   */
  readonly id: string;
  /** Time at which the request came first, in milliseconds since the epoch. */
  readonly firstAt: number;
  /** For the transaction that does the work: keeps the answer with it. */
  settling<Result>(replyOf: (result: Result) => Reply): Settle<Result>;
}

/** Facts about a request that are known before its body is read. */
export type Admission<Params = unknown, Query = unknown, Who = unknown> = Pick<
  Call<Params, Query, undefined, Who>,
  'params' | 'query' | 'principal'
>;

/** Representations that Accept can choose between besides the route's own `produces` types. */
export type Representation = 'json' | 'ndjson' | 'msgpack';

/** A long list, produced as it is sent. NDJSON streams it; JSON and msgpack collect it. */
export interface RowsBody {
  /** Members beside the list; NDJSON sends them as its first line. */
  readonly header: Readonly<Record<string, unknown>>;
  /** The member that holds the list in JSON and msgpack: `rows`, `values`, `ops`. */
  readonly member: string;
  readonly items: Iterable<unknown> | AsyncIterable<unknown>;
}

/** Long lists by name, in an object under the member; JSON and msgpack write them piece by piece. */
export interface ListsBody {
  readonly header: Readonly<Record<string, unknown>>;
  readonly member: string;
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
}

/** Exactly one of value, rows, lists, bytes and stream, or none for an empty body. */
export interface Reply {
  /** 200 when left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of Set-Cookie, a header each. */
  readonly cookies?: readonly string[];
  /** Strong entity tag without quotes, such as `main@42`. GETs answer If-None-Match with 304. */
  readonly etag?: string;
  /** `private, no-store` when left out on routes with a scope. */
  readonly cacheControl?: string;
  /** Cells read or written; every 10,000 draw one more unit of the caller's rate limit. */
  readonly cells?: number;
  /** Written as JSON or msgpack, as Accept asks. */
  readonly value?: unknown;
  readonly rows?: RowsBody;
  readonly lists?: ListsBody;
  /** Ready bytes, sent as they are (compressed when text and large); needs `type`. */
  readonly bytes?: Uint8Array | string;
  /** Chunks of ready bytes, sent under backpressure; needs `type`. */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Content-Type of bytes or stream. */
  readonly type?: string;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type PrincipalOf<S> = S extends null ? undefined : Principal;
type BodyOf<Body, Files> = Files extends readonly string[]
  ? Parsed<Body> | undefined
  : Parsed<Body>;

export interface ResponseDocument {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Shown in the reference; responses without a schema carry these types instead of JSON. */
  readonly types?: readonly string[];
  readonly example?: unknown;
}

/** Facts that the edge must know of a route, without the types of its handler. */
export interface RouteFacts {
  readonly host: Host;
  readonly method: Method;
  /** `/v1/workbooks/:id/slice`; a last segment `*` takes the rest of the path as `rest`. */
  readonly path: string;
  /** Null: no credential is looked at. */
  readonly scope: Scope | null;
  readonly summary: string;
  /** Longer text of the reference, in Markdown. */
  readonly description?: string;
  /** Group in the reference, such as `Workbooks`. */
  readonly tag: string;
  readonly bodyLimitBytes?: number;
  /** A body may be as large as this, and what memory has no room for comes as `file.spooled`. */
  readonly spoolLimitBytes?: number;
  /** Media types besides JSON and msgpack that the route takes as `call.file`. */
  readonly files?: readonly string[];
  /**
   * Treatment of a body that is too large for the serving thread: checked as a submission in the
   * pool, or handed on as `call.file`. By default it is only taken apart there.
   */
  readonly largeBody?: 'submission' | 'file';
  /** Rule for texts of the body; `unicode` when left out. */
  readonly texts?: TextRule;
  /** A cheap yes to most bodies, where the schema returns what it is given; no asks the schema. */
  readonly isPlainBody?: (body: unknown) => boolean;
  /** A body may be left out; `call.body` is then what the schema makes of `{}`. */
  readonly bodyOptional?: boolean;
  /** Media types beyond JSON and msgpack that the route can answer with; checked against Accept. */
  readonly produces?: readonly string[];
  /** `handler`: the handler knows repeats by itself. Default: the edge stores the answer. */
  readonly idempotency?: 'edge' | 'handler' | 'none';
  /** Member of the body that stands for the header Idempotency-Key where that is not sent. */
  readonly keyMember?: string;
  /** Limits this request draws on; by method when left out. `none` for health and the like. */
  readonly limit?: 'read' | 'write' | 'none';
  /** Unknown members are dropped instead of refused (identity routes). */
  readonly lenient?: boolean;
  /** A slash at the end makes it another path: files of the log have one spelling. */
  readonly isExact?: boolean;
  /**
   * The answer goes on as long as its client listens. It is none of the requests that run at once:
   * the handler has limits of its own for how many there are.
   */
  readonly goesOn?: boolean;
  /** Requests that ask to become a websocket do; all others go to the handler. */
  readonly socket?: SocketRoute;
  /** Path under which its own metadata as a protected resource are, where it has such (RFC 9728). */
  readonly resource?: string;
  /** True to leave it out of the OpenAPI document. */
  readonly hidden?: boolean;
  readonly responses: Readonly<Record<number, ResponseDocument>>;
  /** Body or query as shown in the reference. */
  readonly example?: { readonly query?: string; readonly body?: unknown };
}

export interface RouteDefinition<
  Params extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends z.ZodType | undefined,
  S extends Scope | null,
  Files extends readonly string[] | undefined,
> extends RouteFacts {
  readonly scope: S;
  readonly files?: Files & readonly string[];
  readonly request?: {
    readonly params?: Params;
    /** A field whose schema is an array may be repeated; every other one may not. */
    readonly query?: Query;
    readonly body?: Body;
  };
  /**
   * Fails where the handler would fail whatever the body is. Called before more than a little of
   * the body is read; the state that it looks at may change until the handler looks again.
   */
  readonly admit?: (
    call: Admission<Parsed<Params>, Parsed<Query>, PrincipalOf<S>>,
  ) => void | Promise<void>;
  readonly handler: (
    call: Call<Parsed<Params>, Parsed<Query>, BodyOf<Body, Files>, PrincipalOf<S>>,
  ) => Reply | Promise<Reply>;
}

/** A row of the table, its handler's types hidden behind the schemas that guarantee them. */
export interface Route extends RouteFacts {
  readonly request: {
    readonly params: z.ZodObject | undefined;
    readonly query: z.ZodObject | undefined;
    readonly body: z.ZodType | undefined;
  };
  readonly admit: ((call: Admission) => void | Promise<void>) | undefined;
  readonly handler: (call: Call) => Reply | Promise<Reply>;
}

/** Makes a row of the table; the handler's `call` takes its types from the schemas. */
export function route<
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  S extends Scope | null = Scope | null,
  Files extends readonly string[] | undefined = undefined,
>(definition: RouteDefinition<Params, Query, Body, S, Files>): Route {
  const { request, ...facts } = definition;
  return {
    ...facts,
    request: { params: request?.params, query: request?.query, body: request?.body },
    // The edge calls both only with what that route's schemas produced.
    admit: definition.admit as Route['admit'],
    handler: definition.handler as Route['handler'],
  };
}
