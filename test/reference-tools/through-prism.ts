import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';

import { quietPort } from '../support/quiet-port.ts';
import { root } from '../support/sources.ts';

/**
 * Loaded before a file of tests, by `npm run reference-tools`: every request of its `fetch` to a
 * service goes through a Prism that stands in front of that service and has its /openapi.json.
 * Answers that the reference does not describe go to the file that QUIRE_PRISM_REPORT names.
 */

const report = process.env['QUIRE_PRISM_REPORT'] ?? '';
const prismProgram = join(
  root,
  'test/reference-tools/node_modules/@stoplight/prism-cli/dist/index.js',
);
const straight = globalThis.fetch;
/** The proxy of each origin; undefined for those that are no service. */
const proxies = new Map<string, Promise<string | undefined>>();

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { origin, pathname, search } = new URL(request.url);
  const isLocal = origin.startsWith('http://127.0.0.1:');
  if (!isLocal || !isCarried(request, pathname)) return straight(input, init);
  const proxy = await proxyOf(origin);
  if (proxy === undefined) return straight(input, init);
  const given = typeof input === 'string' || input instanceof URL ? init : request;
  const answer = await straight(new Request(proxy + pathname + search, given));
  note(`${request.method} ${pathname} ${answer.status}`, answer.headers.get('sl-violations'));
  return answer;
};

/**
 * Prism reads a body as text and whole, follows where an answer leads to, and knows the paths of
 * the reference alone.
 */
function isCarried({ method, headers, redirect }: Request, path: string): boolean {
  const type = headers.get('content-type') ?? 'application/json';
  const accept = headers.get('accept') ?? '*/*';
  if (path.startsWith('/v1/reconciliation/') || path === '/openapi.json') return false;
  if (redirect === 'manual' || path.endsWith('/export')) return false;
  if (method === 'GET' && accept.includes('event-stream')) return false;
  return /json|text|urlencoded/.test(type) && !/msgpack|sheet|arrow|octet/.test(accept);
}

function proxyOf(origin: string): Promise<string | undefined> {
  const known = proxies.get(origin) ?? startProxy(origin);
  proxies.set(origin, known);
  return known;
}

async function startProxy(origin: string): Promise<string | undefined> {
  const answer = await straight(`${origin}/openapi.json`);
  const isReference = answer.ok && /json/.test(answer.headers.get('content-type') ?? '');
  const text = await answer.text();
  if (!isReference || !text.includes('"title":"Quire"')) return undefined;
  const { port } = new URL(origin);
  const file = `${report}.${port}.json`;
  writeFileSync(file, text);
  const own = await quietPort();
  const words = [prismProgram, 'proxy', file, origin, '--port', String(own), '--errors', 'false'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('is listening')) continue;
    child.stdout.resume();
    // The test ends although its proxy is there.
    (child.stdout as Socket).unref();
    child.unref();
    return `http://127.0.0.1:${own}`;
  }
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`Prism ended with ${code}`);
}

function note(request: string, header: string | null): void {
  const violations = header === null ? [] : (JSON.parse(header) as Violation[]);
  const ofAnswer = violations.filter(({ location }) => location[0] === 'response');
  const faults = ofAnswer.map(({ location, message }) => `${location.join('.')} ${message}`);
  appendFileSync(report, `${JSON.stringify({ request, faults })}\n`);
}
