import t from 'tap';

import { letterTo, newEmail } from '../support/claimed-agent.ts';
import {
  CountingAgent,
  modelFile,
  textAt as at,
  untilPublished,
} from '../support/counting-agent.ts';
import { readOperationProof } from '../support/operation-proof-reader.ts';
import { TestService } from '../support/test-service.ts';

t.test('an agent that knows one address does all of its work in twelve calls', async (t) => {
  const service = await TestService.start(t);
  const mcp = `${service.url}/mcp`;
  const agent = new CountingAgent();
  const first = await agent.ask(mcp, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  t.equal(first.status, 401);
  const [, register = ''] = /POST (\S+)/.exec(at(JSON.parse(first.text), 'hint')) ?? [];
  const registered = await agent.ask(register, { type: 'anonymous' });
  agent.credential = at(JSON.parse(registered.text), 'data', 'credential');

  const book = await agent.tool(mcp, 'workbook_create', {
    name: 'model',
    xlsx_base64: Buffer.from(modelFile()).toString('base64'),
  });
  const workbook = at(book, 'id');
  const edited = await agent.tool(mcp, 'range_write', {
    workbook,
    branch: 'price',
    create_branch_from: 'main',
    writes: [{ range: 'Inputs!B1', values: [[12]] }],
  });
  t.match(edited, { changes: { cells: [{ cell: 'Result!B1', before: 2000, after: 2400 }] } });
  await agent.tool(mcp, 'range_write', {
    workbook,
    writes: [{ range: 'Inputs!B1', values: [[11]] }],
  });
  const opened = await agent.tool(mcp, 'merge', { workbook, action: 'open', source: 'price' });
  t.match(opened, {
    merge: { state: 'conflicted' },
    conflicts: {
      open: 1,
      items: [{ base: { value: 10 }, ours: { value: 11 }, theirs: { value: 12 } }],
    },
  });
  const merge_id = at(opened, 'merge', 'merge_id');
  const conflict = at(opened, 'conflicts', 'items', 0, 'id');
  t.match(
    await agent.tool(mcp, 'merge', {
      workbook,
      action: 'resolve',
      merge_id,
      resolutions: [{ id: conflict, choice: 'theirs' }],
    }),
    { resolved: 1, conflicts: { open: 0 } },
  );
  const done = await agent.tool(mcp, 'merge', { workbook, action: 'complete', merge_id });
  t.match(done, { merge: { state: 'merged' } });
  const proofAt = at(done, 'merge', 'result', 'proof');
  await untilPublished(proofAt, agent.credential);
  const proof = await agent.ask(proofAt, undefined, { accept: '*/*' });
  const policy = await agent.ask(`${service.url}/v1/tlog/policy`);
  const seen = readOperationProof(proof.text, policy.text);
  t.equal(`main@${seen.seq}`, at(done, 'merge', 'result', 'ref'), 'proved offline');
  t.equal(seen.workbook, workbook);

  const email = newEmail();
  const started = await agent.tool(mcp, 'account', { action: 'claim_start', email, link: true });
  t.match(started, { claim: { verification_required: true, next: /claim_complete/ } });
  const { code: otp } = await letterTo(service.url, email);
  const claimed = await agent.tool(mcp, 'account', { action: 'claim_complete', otp });
  t.match(claimed, { claim: { mode: 'link', scopes: ['read', 'write', 'account'] } });
  t.ok(agent.calls <= 12, `${agent.calls} calls`);

  const old = await agent.ask(mcp, { jsonrpc: '2.0', id: 1, method: 'ping' });
  t.equal(old.status, 401, 'the key from before the claim has ended');
  t.match(JSON.parse(old.text), { code: 'credential_superseded' });
  agent.credential = at(claimed, 'claim', 'credential');
  t.match(await agent.tool(mcp, 'account', { action: 'whoami' }), {
    identity: { kind: 'claimed' },
  });
  const call = { action: 'claim_start', email };
  await t.rejects(agent.tool(mcp, 'account', call), /previously_claimed/);
});
