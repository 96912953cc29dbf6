export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';
/** The member that the header `Mcp-Name` repeats, by method. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Returns whether a message is of the generation in which each stands for itself (2026-07-28). */
export function isStateless({ params }: Message): boolean {
  return versionOf(params) !== undefined;
}

function versionOf(params: Message['params']): string | undefined {
  const meta = params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
  const version = meta?.[versionKey];
  return typeof version === 'string' ? version : undefined;
}

/** Headers by which a proxy knows what a message is about without reading it. */
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

/** A text that no header can hold goes as base64, marked as such. */
function packed(text: string): string {
  const isPlain = plain.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
