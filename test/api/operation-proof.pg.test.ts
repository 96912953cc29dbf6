import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { unpack } from 'msgpackr';

import { openPostgres } from '../../server/storage/postgres.ts';
import { verifyOperationFile } from '../../server/tlog/leaf/operation-opening.ts';
import { nodeCrypto } from '../../server/tlog/node-crypto.ts';
import { parsePolicy } from '../../server/tlog/note/policy.ts';
import { LogSigner } from '../../server/tlog/service/signing-keys.ts';
import { Book } from '../support/book.ts';
import { runLogCommand } from '../support/log-command.ts';
import { readOperationProof } from '../support/operation-proof-reader.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';
import { WitnessDouble } from '../support/witness-double.ts';
import { serveWitness } from '../support/witness-server.ts';

const origin = 'log.example/v1/tlog';
const seed = new Uint8Array(32).fill(9);
const folder = await makeTemporaryFolder(t);
const witness = new WitnessDouble('one', new LogSigner(origin, [seed]).keys);
await writeFile(join(folder, 'tlog.key'), `${Buffer.from(seed).toString('base64')}\n`);
await writeFile(join(folder, 'policy'), `${await serveWitness(t, witness)}\nquorum one\n`);
const url = await createMigratedDatabase();
const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
t.teardown(() => sql.end({ timeout: 1 }));
const settings = {
  DATABASE_URL: url,
  OBJECT_STORE_URL: pathToFileURL(join(folder, 'objects')).href,
  TLOG_ORIGIN: origin,
  TLOG_KEY_FILE: join(folder, 'tlog.key'),
  TLOG_POLICY_FILE: join(folder, 'policy'),
};
const service = await TestService.start(t, settings);

const set = (a1: string, input: unknown) => ({
  kind: 'cells.set',
  payload: { sheet: 'Sheet1', cells: [{ a1, input }] },
});

async function write(book: Book, branch: string, ...ops: object[]): Promise<void> {
  const path = `/branches/${encodeURIComponent(branch)}/ops`;
  const answer = await book.ask(path, { body: { ops, writer: 'w' } });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** The proof as soon as a checkpoint has it; `path` is one of this service. */
async function fileOf({ credential, service: at }: Book, path: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await at.request(path, { credential });
    if (answer.status === 200) {
      if (answer.headers.get('content-type') !== 'application/vnd.c2sp.tlog-proof') {
        throw new Error(answer.text);
      }
      return answer.text;
    }
    if (answer.status !== 202) throw new Error(answer.text);
    await sleep(100);
  }
  throw new Error(`${path} is not published`);
}

function proofPath({ id }: Book, query: string): string {
  return `/v1/workbooks/${id}/proofs?${query}`;
}

async function policyText(): Promise<string> {
  return (await service.request('/v1/tlog/policy')).text;
}

t.test('every operation is proven offline, by a reader made from the docs alone', async (t) => {
  const book = await Book.create(service);
  const cells = Array.from({ length: 300 }, (_, index) => set(`A${index + 1}`, `text ${index}`));
  await write(book, 'main', ...cells);
  await write(book, 'main', set('B1', 'the last'));
  const policy = await policyText();
  const rules = parsePolicy(nodeCrypto.sha256, policy);
  for (const seq of [1, 2, 3, 129, 300, 301, 302]) {
    const file = await fileOf(book, proofPath(book, `branch=main&seq=${seq}`));
    const seen = readOperationProof(file, policy);
    t.match(seen, { origin, workbook: book.id, branch: '1', seq });
    t.same([...seen.witnessed.keys()], ['witness.example/one']);
    const record = unpack(seen.record) as unknown[];
    t.equal(record[0], seq);
    if (seq > 1) {
      const input = seq === 302 ? 'the last' : `text ${seq - 2}`;
      t.match(JSON.stringify(record[5]), `"${input}"`);
    }
    const verified = await verifyOperationFile(nodeCrypto, rules, file);
    t.same(Buffer.from(verified.record), seen.record);
  }
  const main = await fileOf(book, proofPath(book, 'seq=2'));
  t.equal(readOperationProof(main, policy).seq, 2, 'main is meant when no branch is named');
});

t.test('no changed file proves anything', async (t) => {
  const book = await Book.create(service);
  await write(book, 'main', set('A1', 1), set('A2', 2), set('A3', 3));
  const policy = await policyText();
  const rules = parsePolicy(nodeCrypto.sha256, policy);
  const file = Buffer.from(await fileOf(book, proofPath(book, 'seq=3')));
  const random = new SeededRandom(7);
  const text = file.toString('utf8');
  const extra = Buffer.from(/^extra (.*)$/m.exec(text)?.[1] ?? '', 'base64');
  const refuse = async (changed: string): Promise<void> => {
    await t.rejects(verifyOperationFile(nodeCrypto, rules, changed), { name: /Fault$/ });
    t.throws(() => readOperationProof(changed, policy));
  };
  for (let round = 0; round < 150; round++) {
    const changed = Buffer.from(extra);
    const at = random.between(0, extra.length - 1);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.between(0, 6));
    const whole = text.replace(/^extra .*$/m, `extra ${changed.toString('base64')}`);
    await t.rejects(verifyOperationFile(nodeCrypto, rules, whole), { name: /Fault$/ }, String(at));
  }
  const swap = (name: string, to: string): string => {
    const opened = extra.toString('utf8').replace(new RegExp(`^${name} .*$`, 'm'), `${name} ${to}`);
    return text.replace(/^extra .*$/m, `extra ${Buffer.from(opened).toString('base64')}`);
  };
  await refuse(swap('seq', '2'));
  await refuse(swap('seq', '9'));
  await refuse(swap('record', Buffer.from('nothing').toString('base64')));
  await refuse(swap('nonce', Buffer.alloc(16).toString('base64')));
  await refuse(swap('path', '-'));
  await refuse(text.replace(/^index .*$/m, 'index 0'));
  const other = policy.replace(/\+[0-9a-f]{8}\+/, '+00000000+');
  t.throws(() => readOperationProof(text, other), 'a policy that does not know the key');
});

t.test('blame names the way to the proof of each entry', async (t) => {
  const book = await Book.create(service);
  await write(book, 'main', set('A1', 'main'));
  await book.ask('/branches', { body: { name: 'q3/ü', from: 'main' } });
  await write(book, 'q3/ü', set('A2', 'q3'), {
    kind: 'format.set',
    payload: { sheet: 'Sheet1', range: 'A2', style: { bold: true } },
  });
  await book.ask('/branches', { body: { name: 'deep', from: 'q3/ü' } });
  await write(book, 'deep', set('A3', 'deep'));
  await book.ask(`/branches/${encodeURIComponent('q3/ü')}`, { method: 'DELETE' });
  const { json, text } = await book.ask('/blame?ref=deep&range=A1:A3');
  interface Told {
    readonly seq: number;
    readonly proof: string;
    readonly format: Told | null;
  }
  const { cells } = json as { cells: Told[] };
  t.equal(cells.length, 3, text);
  const policy = await policyText();
  const inputs = ['main', 'q3', 'deep'];
  for (const [index, cell] of cells.entries()) {
    const seen = readOperationProof(await fileOf(book, cell.proof), policy);
    t.match(seen, { seq: cell.seq, workbook: book.id, branch: String(index + 1) });
    t.match(JSON.stringify(unpack(seen.record)), `"${inputs[index]}"`);
  }
  t.match(cells[1]?.proof, /\?branchNo=2&seq=1$/, 'a deleted branch by its number');
  const look = cells[1]?.format;
  const seen = readOperationProof(await fileOf(book, look?.proof ?? ''), policy);
  t.match(seen, { seq: 2, branch: '2' });
  const recent = await book.ask('/blame?ref=deep&range=A3');
  t.match(recent.json, { cells: [{ proof: /\?branch=deep&seq=1$/ }] });
});

t.test('it needs neither the rows of the journal nor the process that wrote it', async (t) => {
  const book = await Book.create(service);
  await write(book, 'main', set('A1', 1), set('A2', 2));
  await write(book, 'main', set('A3', 3));
  await book.ask('/branches/main/flush', { body: {} });
  const before = await fileOf(book, proofPath(book, 'seq=3'));
  await sql`delete from segment where workbook_id = ${book.id} and branch_no = 1`;
  const next = await TestService.start(t, settings);
  const after = await fileOf(book.at(next), proofPath(book, 'seq=3'));
  const policy = await policyText();
  const [one, two] = [before, after].map((file) => readOperationProof(file, policy));
  t.same(one?.record, two?.record);
});

t.test('what cannot be proven is said, with the next step', async (t) => {
  const book = await Book.create(service);
  await write(book, 'main', set('A1', 1));
  const ask = async (query: string, to = book): Promise<[number, unknown]> => {
    const { status, json } = await to.ask(`/proofs?${query}`);
    return [status, (json as { code?: string }).code];
  };
  t.same(await ask('seq=3'), [404, 'ref_not_found']);
  t.same(await ask('seq=0'), [400, 'invalid_request']);
  t.same(await ask('seq=x'), [400, 'invalid_request']);
  t.same(await ask('seq=1&branch=none'), [404, 'branch_not_found']);
  t.same(await ask('seq=1&branchNo=9'), [404, 'branch_not_found']);
  t.same(await ask('seq=1&branchNo=1&branch=main'), [400, 'invalid_request']);
  t.same(await ask('seq=1&from=1'), [400, 'invalid_request']);
  t.same(await ask('seq=1&to=1'), [400, 'invalid_request']);
  t.same(await ask('seq=1&format=tar'), [400, 'invalid_request']);
  t.same(await ask('branchNo=1'), [400, 'invalid_request']);
  t.same(await ask('format=tlog-proof'), [400, 'invalid_request']);
  const stranger = await service.register();
  const foreign = await service.request(proofPath(book, 'seq=1'), { credential: stranger });
  t.equal(foreign.status, 404);
  const file = await fileOf(book, proofPath(book, 'seq=2'));
  const accept = { accept: 'application/json' };
  const listed = await book.ask('/proofs?seq=2', { headers: accept });
  t.match(listed.json, {
    log: { origin },
    proofs: [{ kind: 'segment', branchNo: 1, seq: 2, opens: true }],
  });
  const { proofs } = listed.json as { proofs: { proof: string; name: string }[] };
  t.equal(readOperationProof(proofs[0]?.proof ?? '', await policyText()).seq, 2);
  t.match(proofs[0]?.name, /^1-000000002-operation\.tlog-proof$/);
  t.match(file, /^c2sp\.org\/tlog-proof@v1\nextra /);
  await sql`
    update segment set body = overlay(body placing '\\x00'::bytea from octet_length(body))
     where workbook_id = ${book.id} and branch_no = 1 and last_seq = 2`;
  t.same(await ask('seq=2'), [503, 'log_damaged'], 'what is stored is not what was logged');
  await sql`update branch set logged_after = 2 where workbook_id = ${book.id} and branch_no = 1`;
  t.same(await ask('seq=2'), [404, 'leaf_not_found'], 'older than the log');
  const { json } = await book.ask('/blame?range=A1');
  t.match(json, { cells: [{ proof: null }] });
});

t.test('the command checks a file offline, and refuses a changed one', async (t) => {
  const book = await Book.create(service);
  await write(book, 'main', set('A1', 'told by the command'));
  const file = await fileOf(book, proofPath(book, 'seq=2'));
  const { text: listed } = await book.ask('/proofs');
  const [proof, list, changed, policy] = ['proof', 'list', 'changed', 'trusted'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  await writeFile(proof, file);
  await writeFile(list, listed);
  await writeFile(changed, file.replace(/^index .*$/m, 'index 0'));
  await writeFile(policy, await policyText());
  const run = (path: string) => runLogCommand(['verify', path, '--policy', policy]);
  t.match(await run(proof), {
    code: 0,
    output: /seen by witness\.example\/one[^]*told by the command/,
  });
  t.match(await run(list), { code: 0, output: /kind segment/ });
  t.match(await run(changed), { code: 1 });
});
