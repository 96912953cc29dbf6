import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { McpClient } from '../support/mcp-client.ts';
import { TestService } from '../support/test-service.ts';

const rowCount = 6_000;

/** A workbook whose cells all depend on one, and take seconds together. */
async function slowBook(client: McpClient): Promise<unknown> {
  const { id } = await client.call('workbook_create', { sheets: [{ name: 'S', rows: [[1]] }] });
  const fill = (range: string, input: unknown) => ({
    kind: 'range.fill',
    payload: { sheet: 'S', range, input },
  });
  const dear = '=SUMPRODUCT((SIN($C$1:$C$2000+ROW()+$A$1))^2)';
  const ops = [fill('C1:C2000', 2), fill(`B1:B${rowCount}`, dear)];
  await client.call('ops_submit', { workbook: id, ops });
  return id;
}

/** Messages of an answer that is a stream of events. */
async function* messages({ body }: Response): AsyncGenerator<Record<string, unknown>> {
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/mu.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data) as Record<string, unknown>;
    }
  }
}

t.test('a what-if that is cancelled stops, and its thread is free', async (t) => {
  const service = await TestService.start(t, {}, { formulas: new Formulas() });
  const client = new McpClient(service, await service.register());
  const workbook = await slowBook(client);
  const session = { 'mcp-session-id': '', 'mcp-protocol-version': '2025-11-25' };
  const post = (message: object, signal?: AbortSignal) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${client.credential}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session['mcp-session-id'] !== '' && session),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(signal && { signal }),
    });
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const opened = await post({ id: 0, method: 'initialize', params });
  session['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  const scenario = (id: number) => ({
    id,
    method: 'tools/call',
    params: {
      name: 'scenario_eval',
      arguments: { workbook, set: [{ cell: 'A1', input: id + 1 }], read: [`B${rowCount}`] },
      _meta: { progressToken: id },
    },
  });

  const whole = messages(await post(scenario(1)));
  await whole.next();
  t.match((await whole.next()).value, {
    result: { structuredContent: { change_count: rowCount + 1 } },
  });

  const running = messages(await post(scenario(2)));
  t.match((await running.next()).value, { params: { progressToken: 2 } });
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 2 } };
  t.equal((await post(cancelled)).status, 202);
  t.match((await running.next()).value, {
    id: 2,
    result: { isError: true, content: [{ text: /cancelled/u }] },
  });

  const leaving = new AbortController();
  const left = messages(await post(scenario(3), leaving.signal));
  await left.next();
  leaving.abort();
  const light = { workbook, read: ['C1'], formulas: ['=C1*2'] };
  t.match(await client.call('scenario_eval', light), { formulas: [{ rows: [[4]] }] });
});
