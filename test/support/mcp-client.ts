import type { Test } from 'tap';

import { TestService, type TestAnswer } from './test-service.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Json;
}

export interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

export const statelessVersion = '2026-07-28';

/** Speaks the newer generation of the protocol by plain HTTP, one message at a time. */
export class McpClient {
  readonly service: TestService;
  readonly credential: string;
  #lastId = 0;

  constructor(service: TestService, credential: string) {
    this.service = service;
    this.credential = credential;
  }

  static async start(
    t: Pick<Test, 'teardown'>,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<McpClient> {
    const service = await TestService.start(t, settings);
    return new McpClient(service, await service.register());
  }

  /** The HTTP answer to one request. */
  send(
    method: string,
    params: Json = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestAnswer> {
    const id = ++this.#lastId;
    const name = params['name'] ?? params['uri'];
    const given = params['arguments'] as Json | undefined;
    const workbook = given?.['workbook'];
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': statelessVersion,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      ...(params['_meta'] as Json | undefined),
    };
    return this.service.request('/mcp', {
      credential: this.credential,
      body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': statelessVersion,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': packed(name) }),
        ...(typeof workbook === 'string' && { 'mcp-param-workbook': packed(workbook) }),
        ...headers,
      },
    });
  }

  async answer(method: string, params: Json = {}): Promise<RpcAnswer> {
    const { json, status, text } = await this.send(method, params);
    if (json === undefined) throw new Error(`${method} answered ${status}: ${text}`);
    return json as RpcAnswer;
  }

  async result<Result>(method: string, params: Json = {}): Promise<Result> {
    const { result, error } = await this.answer(method, params);
    if (result === undefined) throw new Error(`${method}: ${error?.code} ${error?.message}`);
    return result as Result;
  }

  /** Returns the answer of a tool, whether it is an error or not. */
  tool(name: string, given: Json): Promise<ToolAnswer> {
    return this.result<ToolAnswer>('tools/call', { name, arguments: given });
  }

  /** Returns the content of a call that goes well. */
  async call(name: string, given: Json): Promise<Json> {
    const { isError, content, structuredContent } = await this.tool(name, given);
    if (isError === true || !structuredContent) throw new Error(`${name}: ${content[0]?.text}`);
    return structuredContent;
  }

  /** Returns the error of a call that is refused. */
  async refusal(name: string, given: Json): Promise<Json> {
    const { isError, content } = await this.tool(name, given);
    if (isError !== true) throw new Error(`${name} was not refused`);
    return JSON.parse(content[0]?.text ?? '') as Json;
  }
}

/** Texts that no header can have as they are. */
function packed(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
