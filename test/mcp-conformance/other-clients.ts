import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Test } from 'tap';

import { callEveryTool, type CallTool } from '../support/every-tool.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

type Json = Readonly<Record<string, unknown>>;

interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: unknown;
  readonly structuredContent?: Json;
}

/** The client of version 1 of the SDK, as far as it is used here. */
interface OlderClient {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ tools: readonly unknown[] }>;
  callTool(call: { name: string; arguments: Json }): Promise<ToolAnswer>;
  close(): Promise<void>;
}

type Makes<Made> = new (...given: unknown[]) => Made;

const run = promisify(execFile);

/** The SDK that most clients have been built with, from before the newer generation. */
export async function callByOlderSdk(t: Test, folder: string): Promise<void> {
  const { url, credential } = await started(t);
  const sdk = join(folder, 'node_modules/@modelcontextprotocol/sdk/dist/esm/client');
  const load = (name: string): Promise<Record<string, unknown>> =>
    import(pathToFileURL(join(sdk, name)).href) as Promise<Record<string, unknown>>;
  const { Client } = (await load('index.js')) as { Client: Makes<OlderClient> };
  const { StreamableHTTPClientTransport } = (await load('streamableHttp.js')) as {
    StreamableHTTPClientTransport: Makes<unknown>;
  };
  const requestInit = { headers: { authorization: `Bearer ${credential}` } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  t.equal(tools.length, 15);
  await callEveryTool(t, async (name, given) => {
    return contentOf(name, await client.callTool({ name, arguments: given }));
  });
  await client.close();
}

/** The inspector, which people try a server with, as a command for each call. */
export async function callByInspector(t: Test, folder: string): Promise<void> {
  const { url, credential } = await started(t);
  const home = await makeTemporaryFolder(t);
  const node = join(folder, 'node_modules/.bin/node');
  const inspector = join(folder, 'node_modules/.bin/mcp-inspector');
  const header = `Authorization: Bearer ${credential}`;
  const words = [inspector, '--cli', url, '--transport', 'http', '--header', header];
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home };
  const ask = async (...more: string[]): Promise<unknown> => {
    const { stdout } = await run(node, [...words, ...more], { env, cwd: home });
    return JSON.parse(stdout) as unknown;
  };
  t.match(await ask('--method', 'tools/list'), { tools: Array });
  const call: CallTool = async (name, given) => {
    const args = Object.entries(given).map(([key, value]) => {
      return `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
    });
    const named = ['--method', 'tools/call', '--tool-name', name];
    return contentOf(name, (await ask(...named, '--tool-arg', ...args)) as ToolAnswer);
  };
  await callEveryTool(t, call);
}

async function started(t: Test): Promise<{ url: string; credential: string }> {
  const service = await TestService.start(t, {}, {});
  return { url: `${service.url}/mcp`, credential: await service.register() };
}

function contentOf(name: string, { isError, content, structuredContent }: ToolAnswer): Json {
  if (isError !== true && structuredContent) return structuredContent;
  throw new Error(`${name}: ${JSON.stringify(content)}`);
}
