import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import process from 'node:process';
import t from 'tap';

import { mcpRoutes } from '../../server/mcp/http.ts';
import { McpServer } from '../../server/mcp/server.ts';
import { Failure } from '../../server/model/failure.ts';
import type { Browser } from '../support/browser.ts';
import { realEnvironment, startEdge, testPrincipal } from '../support/edge-server.ts';
import { IdentityWorld } from '../support/identity-world.ts';
import { needInstalled } from '../support/installed.ts';
import { allow, signedIn } from '../support/oauth-client.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { expectedFailures, readOutcome, surprises } from './failures.ts';
import { fixtureCatalogue } from './fixtures.ts';
import { callByInspector, callByOlderSdk } from './other-clients.ts';
import { lastingRights } from '../support/lasting-rights.ts';

/**
 * The Model Context Protocol's own suite: `npm ci --prefix test/mcp-conformance && npm run
 * mcp-conformance`. The authorization scenarios meet our authorization server, with somebody who
 * signs in by e-mail and consents; those for servers meet our MCP server in both generations, with
 * the tools that the suite wants to find. The older SDK and the inspector call every tool. Apart
 * from the tests, since the suite asks for a newer Node, which npm has as a package of 185 MB.
 */
const folder = fileURLToPath(new URL('../../../test/mcp-conformance/', import.meta.url));
const callbackPort = 3000;
const consentPage = /http:\/\/\S+\/oauth2\/authorize\?\S+/;

async function registerClient(url: string): Promise<string> {
  const answer = await fetch(`${url}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'conformance',
      redirect_uris: [`http://127.0.0.1:${callbackPort}/callback`],
      token_endpoint_auth_method: 'none',
    }),
  });
  if (answer.status !== 201) throw new Error(`registration answered ${answer.status}`);
  return ((await answer.json()) as { client_id: string }).client_id;
}

/** Gives consent at the address that the suite prints, as a person would. */
async function consent(browser: Browser, address: string): Promise<void> {
  const { pathname, search } = new URL(address);
  const answer = await fetch(await allow(browser, await browser.get(pathname + search)));
  if (!answer.ok) throw new Error(`the suite's callback answered ${answer.status}`);
}

async function runSuite(url: string, browser: Browser): Promise<number> {
  const suite = spawn(
    'node_modules/.bin/node',
    [
      'node_modules/@modelcontextprotocol/conformance/dist/index.js',
      'authorization',
      `--url=${url}`,
      `--resource=${url}`,
      `--client-id=${await registerClient(url)}`,
      `--port=${callbackPort}`,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  let consenting: Promise<void> | undefined;
  suite.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    printed += text;
    const address = consentPage.exec(printed)?.[0];
    if (address === undefined || consenting) return;
    consenting = consent(browser, address);
    consenting.catch((error: unknown) => suite.emit('error', error));
  });
  const [code] = (await once(suite, 'exit')) as [number | null];
  await consenting;
  return code ?? 1;
}

needInstalled('test/mcp-conformance');
t.setTimeout(0);
t.test('the authorization scenarios of the official suite', async (t) => {
  const world = await IdentityWorld.start(t);
  const browser = await signedIn(world, 'ada@example.com');
  t.equal(await runSuite(world.service.url, browser), 0);
});

/**
 * Runs what a revision of the protocol requires, and the extensions beside it. The suite's own
 * verdict leaves extensions and pending scenarios out, so a test judges what it wrote down.
 */
async function runServerSuite(url: string, revision: string, output: string): Promise<number> {
  const suite = spawn(
    'node_modules/.bin/node',
    [
      'node_modules/@modelcontextprotocol/conformance/dist/index.js',
      'server',
      `--url=${url}/mcp`,
      `--requirements=${revision}`,
      `--expected-failures=${expectedFile(revision)}`,
      `--output-dir=${output}`,
    ],
    { cwd: folder, stdio: 'inherit' },
  );
  const [code] = (await once(suite, 'exit')) as [number | null];
  return code ?? 1;
}

function expectedFile(revision: string): string {
  return join(folder, `expected-failures-${revision}.yml`);
}

const scenarioCounts = { '2025-11-25': 33, '2026-07-28': 50 };

for (const [revision, scenarioCount] of Object.entries(scenarioCounts)) {
  t.test(`the server scenarios of ${revision}`, async (t) => {
    const server = new McpServer({
      catalogue: fixtureCatalogue,
      rights: lastingRights,
      environment: realEnvironment,
      info: { name: 'fixtures', version: '1.0.0' },
      instructions: 'Call what the suite calls.',
      failureOf: (cause) => (cause instanceof Failure ? cause : new Failure('internal', { cause })),
      report: (step, error) => t.comment(step, error),
    });
    const isOwnOrigin = (origin: string) => /^http:\/\/(?:127\.0\.0\.1|localhost):/.test(origin);
    const routes = mcpRoutes({ server, isOwnOrigin });
    const { url } = await startEdge(t, routes, { authenticate: () => testPrincipal });
    const output = await makeTemporaryFolder(t);
    t.equal(await runServerSuite(url, revision, output), 0);
    const outcome = await readOutcome(output);
    const expected = expectedFailures(await readFile(expectedFile(revision), 'utf8'));
    t.equal(outcome.scenarioCount, scenarioCount);
    t.same(surprises(outcome.failures, expected), []);
    await server.stop();
  });
}

t.test('a client of the older SDK calls every tool', (t) => callByOlderSdk(t, folder));
t.test('the command line of the inspector calls every tool', (t) => callByInspector(t, folder));
