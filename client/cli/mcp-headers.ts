export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';
/** Member that the header `Mcp-Name` repeats, by method. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Returns whether a message is of the protocol of 2026-07-28, which has no sessions. */
export function isStateless({ params }: Message): boolean {
  return versionOf(params) !== undefined;
}

function versionOf(params: Message['params']): string | undefined {
  const meta = params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
  const version = meta?.[versionKey];
  return typeof version === 'string' ? version : undefined;
}

/** Returns headers that let a proxy route a message without reading its body. */
export function headersOf(
  { method, params }: Message,
  repeated?: ReadonlyMap<string, ReadonlyMap<string, string>>,
): Record<string, string> {
  const version = versionOf(params);
  if (version === undefined || method === undefined) return {};
  const headers: Record<string, string> = { 'mcp-protocol-version': version, 'mcp-method': method };
  const name = nameOf(method, params);
  if (typeof name === 'string') headers['mcp-name'] = packed(name);
  const given = (params?.['arguments'] ?? {}) as Readonly<Record<string, unknown>>;
  for (const [argument, suffix] of repeated?.get(String(name)) ?? []) {
    const value = given[argument];
    if (isRepeated(value)) headers[`mcp-param-${suffix}`] = packed(String(value));
  }
  return headers;
}

function isRepeated(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
}

function nameOf(method: string, params: Message['params']): unknown {
  const member = nameMembers[method];
  return member === undefined ? undefined : params?.[member];
}

/** Returns a text as a header value: base64 with a marker if a header cannot hold it. */
function packed(text: string): string {
  const isPlain = plain.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
