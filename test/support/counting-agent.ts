import { writeXlsx } from '../../workers/files/xlsx-write.ts';

/** An agent with plain HTTP that counts its requests. */
export class CountingAgent {
  calls = 0;
  credential: string | undefined;

  async ask(
    url: string,
    body?: unknown,
    given: Readonly<Record<string, string>> = {},
  ): Promise<{ text: string; status: number; headers: Headers; json: unknown }> {
    this.calls++;
    const isFile = body instanceof Uint8Array;
    const headers = {
      accept: 'application/json, text/event-stream',
      ...(this.credential !== undefined && { authorization: `Bearer ${this.credential}` }),
      ...(body !== undefined && !isFile && { 'content-type': 'application/json' }),
      ...given,
    };
    const sent = isFile ? Buffer.from(body) : JSON.stringify(body);
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: sent }) });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const json: unknown = isJson ? JSON.parse(text) : undefined;
    return { text, status: answer.status, headers: answer.headers, json };
  }

  /** Sends a request that has to succeed; resolves with its answer. */
  async do(
    url: string,
    body?: unknown,
    given: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const { text, status, json } = await this.ask(url, body, given);
    if (status < 200 || status > 299) throw new Error(`${url} answered ${status}: ${text}`);
    return json ?? text;
  }

  async tool(url: string, name: string, given: object): Promise<unknown> {
    const params = { name, arguments: given };
    const { text } = await this.ask(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { result } = JSON.parse(text) as {
      result: { isError?: boolean; structuredContent: unknown };
    };
    if (result.isError === true) throw new Error(text);
    return result.structuredContent;
  }
}

/** Makes an .xlsx file of two sheets: a price, a count, and their product. */
export function modelFile(): Uint8Array {
  const inputs = [
    { row: 0, column: 0, input: 'Price' },
    { row: 0, column: 1, input: 10 },
    { row: 1, column: 0, input: 'Units' },
    { row: 1, column: 1, input: 200 },
  ];
  const result = [
    { row: 0, column: 0, input: 'Revenue' },
    { row: 0, column: 1, input: { formula: 'Inputs!B1*Inputs!B2' } },
  ];
  const sheets = [
    { name: 'Inputs', cells: () => inputs },
    { name: 'Result', cells: () => result },
  ];
  const chunks: Uint8Array[] = [];
  writeXlsx({ date1904: false, names: [], tables: [], sheets }, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** Returns the text at a path of an answer; fails where there is none. */
export function textAt(value: unknown, ...path: (string | number)[]): string {
  let found: unknown = value;
  for (const step of path) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined;
  }
  if (typeof found !== 'string') {
    throw new Error(`no ${path.join('.')} in ${JSON.stringify(value)}`);
  }
  return found;
}

/** Waits until the log has published the subject of a proof; counts no request. */
export async function untilPublished(url: string, credential: string): Promise<void> {
  const headers = { authorization: `Bearer ${credential}` };
  for (let tries = 0; tries < 200; tries++) {
    if ((await fetch(url, { headers })).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} is not published`);
}
