import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t from 'tap';
import type { Test } from 'tap';

import { callEveryTool } from '../support/every-tool.ts';
import { TestService } from '../support/test-service.ts';

/** The official client checks what every tool answers against the schema that the tool announces. */

type Json = Readonly<Record<string, unknown>>;

const generations = {
  '2025-11-25': {},
  '2026-07-28': { versionNegotiation: { mode: 'auto' } },
} as const;

async function connect(
  t: Pick<Test, 'teardown'>,
  version: keyof typeof generations,
): Promise<{ client: Client; service: TestService }> {
  const service = await TestService.start(t, {}, {});
  const credential = await service.register();
  const requestInit = { headers: { authorization: `Bearer ${credential}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    requestInit,
  });
  const client = new Client({ name: 'test', version: '1' }, generations[version]);
  await client.connect(transport);
  t.teardown(() => client.close());
  return { client, service };
}

/** Calls tools, and keeps which of them were called. */
function caller(client: Client) {
  const called = new Set<string>();
  const call = async (name: string, given: Json): Promise<Json> => {
    called.add(name);
    const answer = await client.callTool({ name, arguments: given });
    const { isError, content, structuredContent } = answer;
    if (isError === true || !structuredContent)
      throw new Error(`${name}: ${JSON.stringify(content)}`);
    return structuredContent as Json;
  };
  return { call, called };
}

for (const version of Object.keys(generations) as (keyof typeof generations)[]) {
  t.test(`every tool answers what it announces, by ${version}`, async (t) => {
    const { client } = await connect(t, version);
    t.match(client.getServerVersion(), { name: 'quire', version: String });
    const { tools } = await client.listTools();
    const { call, called } = caller(client);
    await callEveryTool(t, call);
    t.equal(tools.length, called.size);
    t.same([...called].toSorted(), tools.map(({ name }) => name).toSorted());
  });
}

t.test('results beyond the budget are cut, and say how to go on', async (t) => {
  const { client } = await connect(t, '2026-07-28');
  const rows = Array.from({ length: 1_500 }, (_, row) => [row, row * 2, `row ${row}`]);
  const call = async (name: string, given: Json): Promise<Json> =>
    (await client.callTool({ name, arguments: given })).structuredContent as Json;
  const { id: workbook } = await call('workbook_create', { sheets: [{ name: 'Long', rows }] });
  let given: Json | null = { workbook, ranges: ['A:C'], format: 'cells' };
  const seen: unknown[] = [];
  for (let pages = 0; given !== null; pages++) {
    if (pages > 20) throw new Error('it never ends');
    const page: Json = await call('range_read', given);
    for (const { cells } of page['ranges'] as { cells: unknown[] }[]) seen.push(...cells);
    given = page['next'] as Json | null;
  }
  t.equal(seen.length, 4_500);
  t.same(seen.at(-1), { cell: 'C1500', value: 'row 1499' });
});
