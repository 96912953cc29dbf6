import type { McpContext } from './context.ts';
import type { JsonObject } from './protocol/message.ts';

/** A tool: its description for clients, and the function that calls it. */
export interface Tool {
  readonly name: string;
  /** Tool as tools/list shows it. */
  readonly listed: JsonObject;
  /** Arguments that a header repeats: the name of each, and of its header. */
  readonly headers: readonly { readonly argument: string; readonly header: string }[];
  call(given: JsonObject, context: McpContext): Promise<CallResult>;
}

/** The outcome of a call. One with questions is to be sent again with the answers. */
export type CallResult = ToolResult | Questions;

export interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  /** Cells read or written, for the limits; not part of the answer. */
  readonly cells?: number;
}

/** Questions to the client, by name, that a request needs answered. */
export interface Questions {
  readonly inputRequests: Readonly<Record<string, JsonObject>>;
  /** Comes back with the answers. */
  readonly requestState?: string;
}

/** How long a client may keep something. */
export interface Freshness {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

export interface ReadResource extends Freshness {
  readonly contents: readonly JsonObject[];
}

export interface Resources {
  readonly templates: readonly JsonObject[];
  list(context: McpContext): Promise<readonly JsonObject[]>;
  /** Reads a resource; undefined where nothing has that name. */
  read(uri: string, context: McpContext): Promise<ReadResource | undefined>;
  /**
   * Tells of every change until it is stopped. Undefined where nothing that could change is called
   * so.
   */
  watch(uri: string, context: WatchContext, changed: () => void): Promise<Watched | undefined>;
  /** Returns whether the caller may still read the resource. */
  mayStillRead(uri: string, context: WatchContext): Promise<boolean>;
}

/** A resource that is watched, until `stop` is called. */
export interface Watched {
  readonly workbookId: string;
  readonly stop: () => void;
}

export type WatchContext = Pick<McpContext, 'principal'>;

export interface Prompt {
  readonly name: string;
  readonly listed: JsonObject;
  /** The messages. Fails with a ProtocolFault for arguments that it does not take. */
  get(
    given: JsonObject,
    context: McpContext,
  ): Promise<JsonObject | Questions> | JsonObject | Questions;
}

export interface Completing {
  /** The name of a prompt, or the URI of a template. */
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly argument: string;
  /** The text that is written so far. */
  readonly value: string;
  /** Arguments that are settled already. */
  readonly settled: Readonly<Record<string, string>>;
}

/** Tools, resources and prompts that a client can be offered. */
export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly resources: Resources;
  readonly prompts: readonly Prompt[];
  complete(asked: Completing, context: McpContext): Promise<readonly string[]>;
}
