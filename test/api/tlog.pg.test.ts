import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Test } from 'tap';

import { nodeCrypto } from '../../server/tlog/node-crypto.ts';
import { leafHashOf, parseOpening } from '../../server/tlog/leaf/commitment.ts';
import { formatStatement } from '../../server/tlog/leaf/statement.ts';
import { parsePolicy } from '../../server/tlog/note/policy.ts';
import { parseProofFile, verifyProofFile } from '../../server/tlog/note/proof-file.ts';
import { verifyConsistency, verifyInclusion } from '../../server/tlog/tree/verify.ts';
import { Book } from '../support/book.ts';
import { hasher } from '../support/log-double.ts';
import { checkGrown, leafHash, openCheckpoint } from '../support/log-reader.ts';
import { readLog, readLogOver, type SeenLog } from '../support/log-reader.ts';
import { Rfc6962 } from '../support/rfc6962.ts';
import { TestService } from '../support/test-service.ts';

interface Proof {
  readonly leaf_hash: string;
  readonly leaf_index: number;
  readonly tree_size: number;
  readonly root_hash: string;
  readonly hashes: readonly string[];
  readonly checkpoint: string;
}

interface Committed {
  readonly leafHash: string;
  readonly tlog: string;
}

const set = (a1: string, input: unknown) => ({
  kind: 'cells.set',
  payload: { sheet: 'Sheet1', cells: [{ a1, input }] },
});

async function vkeyOf(service: TestService): Promise<string> {
  const { json } = await service.request('/v1/tlog/status');
  return (json as { vkeys: string[] }).vkeys[0] ?? '';
}

async function see(service: TestService): Promise<SeenLog> {
  return readLog(readLogOver(`${service.url}/v1/tlog`), await vkeyOf(service));
}

/** The proof as soon as there is one. */
async function prove(service: TestService, hash: string): Promise<Proof> {
  for (let tries = 0; tries < 100; tries++) {
    const { status, json, text } = await service.request(`/v1/tlog/proof?leaf_hash=${hash}`);
    if (status === 200) return json as Proof;
    if (status !== 202) throw new Error(`${status}: ${text}`);
    await sleep(100);
  }
  throw new Error(`${hash} is not published`);
}

async function commit(book: Book, message: string): Promise<Committed> {
  const { json, text, status } = await book.ask('/branches/main/commit', { body: { message } });
  if (status !== 201) throw new Error(text);
  return json as Committed;
}

interface World {
  readonly service: TestService;
  readonly book: Book;
  readonly proof: Proof;
}

/** One service for all tests of the file: what each of them adds, the others see grow. */
let shared: Promise<World> | undefined;

function world(): Promise<World> {
  shared ??= start(t);
  return shared;
}

async function start(t: Test): Promise<World> {
  const service = await TestService.start(t);
  // Purging needs the scope account.
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  for (let count = 0; count < 12; count++) {
    await book.ask('/branches/main/ops', { body: { ops: [set('A1', count)], writer: 'w' } });
  }
  const { leafHash: hash, tlog } = await commit(book, 'first');
  if (tlog !== 'pending') throw new Error(tlog);
  return { service, book, proof: await prove(service, hash) };
}

t.test('a stranger rebuilds the log, which only grows', async (t) => {
  const { service, book } = await world();
  const before = await see(service);
  t.ok(before.size >= 13, `${before.size} entries`);
  t.equal(before.origin, `${service.url.replace('http://', '')}/v1/tlog`);
  for (const entry of before.entries) t.match(entry.toString(), /^wbtlog\/v1\n[\w+/]{43}=\n$/);
  const { leafHash: hash } = await commit(book, 'second');
  const { tree_size: size } = await prove(service, hash);
  const after = await see(service);
  t.ok(after.size >= size && size > before.size);
  checkGrown(before, after);
});

t.test('proofs hold, in every form', async (t) => {
  const { service, book, proof } = await world();
  const { leafHash: hash } = await commit(book, 'second');
  const newer = await prove(service, hash);
  const vkey = await vkeyOf(service);
  for (const { leaf_hash, leaf_index, tree_size, root_hash, hashes, checkpoint } of [
    proof,
    newer,
  ]) {
    const seen = openCheckpoint(checkpoint, vkey);
    t.match(seen, { size: tree_size, root: root_hash });
    const leaf = { hash: Buffer.from(leaf_hash, 'base64'), index: leaf_index };
    const tree = { size: tree_size, root: Buffer.from(root_hash, 'base64') };
    verifyInclusion(
      hasher,
      leaf,
      tree,
      hashes.map((text) => Buffer.from(text, 'base64')),
    );
  }
  const hex = Buffer.from(proof.leaf_hash, 'base64').toString('hex');
  const again = await service.request(
    `/v1/tlog/proof?leaf_hash=${hex}&tree_size=${proof.tree_size}`,
  );
  t.same(again.json, proof, 'the proof at an older size stays what it was');
  t.match(again.headers.get('cache-control'), /immutable/);
  const url = Buffer.from(proof.leaf_hash, 'base64').toString('base64url');
  const file = await service.request(`/v1/tlog/proof?leaf_hash=${url}&format=tlog-proof`);
  t.equal(file.headers.get('content-type'), 'application/vnd.c2sp.tlog-proof');
  const accept = { accept: 'application/vnd.c2sp.tlog-proof' };
  const asked = await service.request(`/v1/tlog/proof?leaf_hash=${url}`, { headers: accept });
  t.equal(asked.text, file.text);
  const policy = await service.request('/v1/tlog/policy');
  await verifyProofFile(
    nodeCrypto,
    parsePolicy(nodeCrypto.sha256, policy.text),
    Buffer.from(proof.leaf_hash, 'base64'),
    parseProofFile(file.text),
  );
  const range = `from=${proof.tree_size}&to=${newer.tree_size}`;
  const { json } = await service.request(`/v1/tlog/consistency?${range}`);
  const { hashes } = json as { hashes: string[] };
  verifyConsistency(
    hasher,
    { size: proof.tree_size, root: Buffer.from(proof.root_hash, 'base64') },
    { size: newer.tree_size, root: Buffer.from(newer.root_hash, 'base64') },
    hashes.map((text) => Buffer.from(text, 'base64')),
  );
});

t.test('a commit that waits is answered with its proof', async (t) => {
  const { service, book } = await world();
  const path = '/branches/main/commit?wait=published';
  const { json, status } = await book.ask(path, { body: { message: 'proven' } });
  t.equal(status, 201);
  const { leafHash: hash, tlog, proof } = json as Committed & { proof: string };
  t.equal(tlog, 'published');
  const file = parseProofFile(proof);
  const opening = parseOpening(file.extra ?? new Uint8Array());
  t.equal(Buffer.from(leafHashOf(nodeCrypto.sha256, opening)).toString('hex'), hash);
  const { text } = await service.request('/v1/tlog/policy');
  const policy = parsePolicy(nodeCrypto.sha256, text);
  await verifyProofFile(nodeCrypto, policy, Buffer.from(hash, 'hex'), file);
  const { stateHash } = json as { stateHash: string };
  const shown = Buffer.from(opening.statement.state ?? []).toString('hex');
  t.match(shown, /^[0-9a-f]{64}$/);
  t.not(shown, stateHash, 'the hash of the state is not what could be guessed');
});

t.test('what cannot be proven is said', async (t) => {
  const { service, proof } = await world();
  const ask = async (path: string): Promise<[number, unknown]> => {
    const { status, json } = await service.request(`/v1/tlog/${path}`);
    return [status, (json as { code?: string }).code];
  };
  const hash = Buffer.from(proof.leaf_hash, 'base64').toString('hex');
  const { size } = await see(service);
  t.same(await ask(`proof?leaf_hash=${'00'.repeat(32)}`), [404, 'leaf_not_found']);
  t.same(await ask('proof'), [400, 'invalid_request']);
  t.same(await ask('proof?leaf_hash=00'), [400, 'invalid_request']);
  t.same(await ask(`proof?leaf_hash=${hash}&tree_size=${size + 1}`), [400, 'invalid_request']);
  t.same(await ask(`proof?leaf_hash=${hash}&tree_size=x`), [400, 'invalid_request']);
  t.same(await ask(`proof?leaf_hash=${hash}&format=pdf`), [400, 'invalid_request']);
  const later = [404, 'leaf_not_found'];
  t.same(await ask(`proof?leaf_hash=${hash}&tree_size=0`), later, 'a tree without the leaf');
  const early = await service.request('/v1/tlog/proofs', {
    body: { leaf_hashes: [hash], tree_size: 0 },
  });
  t.match(early.json, { tree_size: 0, proofs: [{ status: 'later', leaf_index: null }] });
  for (const range of ['from=0', 'from=2&to=1', `from=1&to=${size + 1}`, `from=${size + 1}`, '']) {
    t.same(await ask(`consistency?${range}`), [400, 'invalid_request'], range);
  }
  const unknown = createHash('sha256').update('nothing').digest('hex');
  const { json } = await service.request('/v1/tlog/proofs', {
    body: { leaf_hashes: [hash, unknown, hash] },
  });
  const { proofs } = json as { proofs: { status: string; leaf_index: number }[] };
  t.same(
    proofs.map(({ status }) => status),
    ['proven', 'unknown', 'proven'],
  );
  t.equal(proofs[0]?.leaf_index, proof.leaf_index);
});

t.test('consistency is proven for every pair of sizes up to the published one', async (t) => {
  const { service } = await world();
  const { size, entries, note } = await see(service);
  const tree = new Rfc6962(entries);
  const text = (hash: Buffer): string => hash.toString('base64');
  let unpublishedCount = 0;
  for (let to = 1; to <= size; to++) {
    for (let from = 1; from <= to; from++) {
      const { status, json } = await service.request(`/v1/tlog/consistency?from=${from}&to=${to}`);
      const proof = json as { checkpoint: string };
      const expected = {
        from,
        to,
        from_root: text(tree.root(0, from)),
        to_root: text(tree.root(0, to)),
        hashes: tree.proof(from, to).map(text),
      };
      if (status !== 200) t.fail(`${from} ${to}: ${status}`);
      const { checkpoint, ...given } = { ...proof };
      if (JSON.stringify(given) !== JSON.stringify(expected)) t.same(given, expected);
      const isOwn = checkpoint.split('\n')[1] === String(to);
      if (!isOwn) unpublishedCount++;
      if (!isOwn && to < size) t.equal(checkpoint.split('\n')[0], note.split('\n')[0]);
    }
  }
  t.ok(unpublishedCount > 0, `${unpublishedCount} pairs end at a size without a checkpoint`);
});

t.test('files are served as static ones are, under one spelling each', async (t) => {
  const { service } = await world();
  t.equal((await service.request('/v1/tlog/tile/*')).status, 404);
  t.equal((await service.request('/v1/tlog/tile/0')).status, 404);
  const { size, entries } = await see(service);
  const prefix = `${service.url}/v1/tlog`;
  const whole = await fetch(`${prefix}/tile/0/000.p/${size}`);
  const hashes = Buffer.from(await whole.arrayBuffer());
  for (let width = 1; width <= size; width++) {
    const part = await fetch(`${prefix}/tile/0/000.p/${width}`);
    t.equal(part.headers.get('content-type'), 'application/octet-stream');
    t.same(Buffer.from(await part.arrayBuffer()), hashes.subarray(0, width * 32));
    const bundle = await fetch(`${prefix}/tile/entries/000.p/${width}`);
    const bytes = Buffer.from(await bundle.arrayBuffer());
    const expected = entries
      .slice(0, width)
      .flatMap((entry) => [Buffer.of(entry.length >> 8, entry.length & 255), entry]);
    t.same(bytes, Buffer.concat(expected));
  }
  t.same(hashes, Buffer.concat(entries.map(leafHash)));
  const etag = whole.headers.get('etag') ?? '';
  t.match(etag, /^"[^"]+"$/);
  t.equal(whole.headers.get('access-control-allow-origin'), '*');
  t.equal(whole.headers.get('x-content-type-options'), 'nosniff');
  t.equal(whole.headers.get('content-encoding'), null);
  t.match(whole.headers.get('cache-control'), /public, max-age=31536000, immutable/);
  const same = await fetch(`${prefix}/tile/0/000.p/${size}`, {
    headers: { 'if-none-match': etag },
  });
  t.equal(same.status, 304);
  const head = await fetch(`${prefix}/tile/0/000.p/${size}`, { method: 'HEAD' });
  t.equal(head.headers.get('content-length'), String(32 * size));
  t.equal(head.headers.get('etag'), etag);
  const checkpoint = await fetch(`${prefix}/checkpoint`);
  t.equal(checkpoint.headers.get('content-type'), 'text/plain; charset=utf-8');
  t.match(checkpoint.headers.get('cache-control'), /^no-(cache|store)$/);
  t.equal(checkpoint.headers.get('access-control-allow-origin'), '*');
  const strange = [
    `tile/0/000.p/${size + 1}`,
    'tile/0/000',
    'tile/0/001',
    'tile/1/000.p/1',
    'tile/0/x000/000',
    'tile/00/000',
    'tile/0/0000',
    'tile/0/00',
    'tile/0/000.p/0',
    'tile/0/000.p/01',
    'tile/0/000.p/256',
    'tile/0/000.p/1/',
    'tile/0/000.p/%31',
    'tile/0/%30%30%30.p/1',
    'tile/0/000.p/%zz',
    'tile/64/000.p/1',
    'tile/-1/000.p/1',
    'tile/data/000.p/1',
    'tile/8/0/000.p/1',
    'tile/entries/00.p/1',
    'tile//0/000.p/1',
    'tile',
    'tile/',
    'Tile/0/000.p/1',
    'checkpoint/',
  ];
  for (const path of strange) {
    const { status, headers } = await fetch(`${prefix}/${path}`);
    t.equal(status, 404, path);
    t.match(headers.get('cache-control'), /no-store/, path);
  }
});

t.test('the log says of itself how far it is', async (t) => {
  const { service } = await world();
  const { origin, size, root } = await see(service);
  const { json } = await service.request('/v1/tlog/status');
  t.match(json, { origin, tree_size: size, root_hash: root, integrated_size: size, pending: 0 });
  t.match(json, { min_index: 0, tile_height: 8, witnesses: [], quorum: null, halted: null });
  const metrics = await service.request('/metrics');
  t.match(metrics.text, new RegExp(`quire_tlog_size ${size}`));
});

t.test('a purge leaves its receipt, which proves it', async (t) => {
  const { service, book } = await world();
  const before = await see(service);
  const archived = await book.ask('', { method: 'DELETE' });
  await book.ask('/restore', { method: 'POST' });
  t.equal(archived.status, 200);
  const { confirm } = (await book.ask('', { method: 'DELETE' })).json as { confirm: string };
  const path = `?purge=true&confirm=${confirm}`;
  const purged = await book.ask(path, { method: 'DELETE' });
  t.equal(purged.status, 200, purged.text);
  const { receipt } = purged.json as { receipt: { leafHash: string; opening: string } };
  t.same(
    (await book.ask(path, { method: 'DELETE' })).json,
    purged.json,
    'a repeat answers it again',
  );
  const proof = await prove(service, receipt.leafHash);
  const { salt, statement } = parseOpening(Buffer.from(receipt.opening, 'base64'));
  t.match(statement, { kind: 'purge', workbook: book.id });
  const seen = await see(service);
  const entry = createHmac('sha256', salt).update(formatStatement(statement)).digest('base64');
  t.equal(seen.entries[proof.leaf_index]?.toString(), `wbtlog/v1\n${entry}\n`);
  checkGrown(before, seen);
  t.equal(seen.size, before.size + 4, 'archived, restored, archived, purged');
});
