import t from 'tap';

import { letterTo, newEmail } from '../support/claimed-agent.ts';
import { CountingAgent, modelFile, textAt, untilPublished } from '../support/counting-agent.ts';
import { readOperationProof } from '../support/operation-proof-reader.ts';
import { TestService } from '../support/test-service.ts';

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

t.test('an agent that has auth.md alone does all of its work in twelve calls', async (t) => {
  const service = await TestService.start(t);
  const agent = new CountingAgent();
  const page = (await agent.ask(`${service.url}/auth.md`)).text;
  const [, api = ''] = /^- API: (\S+)/m.exec(page) ?? [];
  const [, identity = ''] = /^- identity: (\S+)/m.exec(page) ?? [];
  // The person has given their address, so that registering and claiming are one.
  const email = newEmail();
  const assertions = [{ type: 'verified_email', email }];
  const asked = await agent.do(`${identity}/agent/auth`, {
    type: 'identity_assertion',
    assertions,
  });
  const claim_token = textAt(asked, 'data', 'claim_token');
  const { code: otp } = await letterTo(service.url, email);
  const claimed = await agent.do(`${identity}/agent/auth/claim/complete`, { claim_token, otp });
  t.match(claimed, { data: { scopes: ['read', 'write', 'account'] } });
  agent.credential = textAt(claimed, 'data', 'credential');

  const made = await agent.do(`${api}/workbooks?name=model`, modelFile(), { 'content-type': xlsx });
  const workbook = textAt(made, 'id');
  const book = `${api}/workbooks/${workbook}`;
  await agent.do(`${book}/branches`, { name: 'price' });
  const set = (input: number) => ({
    ops: [{ kind: 'cells.set', payload: { sheet: 'Inputs', cells: [{ a1: 'B1', input }] } }],
    return: { changes: 10 },
  });
  t.match(await agent.do(`${book}/branches/price/ops`, set(12)), {
    changes: { cells: [{ sheet: 'Result', a1: 'B1', before: 2000, after: 2400 }] },
  });
  await agent.do(`${book}/branches/main/ops`, set(11));
  const merge = await agent.do(`${book}/merges`, { source: 'price' });
  t.match(merge, { state: 'conflicted', summary: { conflicts: { open: 1 } } });
  const at = `${book}/merges/${textAt(merge, 'id')}`;
  const open = await agent.do(`${at}/conflicts`);
  const sides = { base: { value: 10 }, ours: { value: 11 }, theirs: { value: 12 } };
  t.match(open, { conflicts: [{ ...sides, text: String }] });
  const resolutions = [{ id: textAt(open, 'conflicts', 0, 'id'), choice: 'theirs' }];
  t.match(await agent.do(`${at}/resolve`, { resolutions }), { open: 0 });
  const done = await agent.do(`${at}/approve`, {});
  t.match(done, { state: 'merged' });

  const { seq } = (done as { result: { seq: number } }).result;
  const proof = `${book}/proofs?branch=main&seq=${seq}`;
  await untilPublished(proof, agent.credential);
  const file = String(await agent.do(proof, undefined, { accept: '*/*' }));
  t.ok(agent.calls <= 12, `${agent.calls} calls`);

  // Whoever checks it has the policy already, and asks the service nothing.
  const policy = await (await fetch(`${api}/tlog/policy`)).text();
  await service.app.stop();
  const seen = readOperationProof(file, policy);
  t.equal(seen.seq, seq, 'proved offline');
  t.equal(seen.workbook, workbook);
});
