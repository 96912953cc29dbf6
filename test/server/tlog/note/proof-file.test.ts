import t from 'tap';

import { nodeCrypto } from '../../../../server/tlog/node-crypto.ts';
import {
  formatProofFile,
  parseProofFile,
  verifyCheckpoint,
  verifyProofFile,
  type ProofFile,
} from '../../../../server/tlog/note/proof-file.ts';
import { webCrypto } from '../../../../server/tlog/note/web-crypto.ts';
import { AuthenticTiles } from '../../../../server/tlog/tree/authentic-tiles.ts';
import { changedBytes, hasher, LogDouble, numberedEntries } from '../../../support/log-double.ts';
import { policy, signCheckpoint } from '../../../support/signed-log.ts';

async function prove(index: number, size: number, extra?: Uint8Array): Promise<ProofFile> {
  const log = new LogDouble();
  const tree = log.grow(numberedEntries(size));
  const hashes = await new AuthenticTiles(hasher, log, tree).proveInclusion(index);
  const checkpoint = await signCheckpoint(tree, 2);
  return { ...(extra === undefined ? {} : { extra }), index, hashes, checkpoint };
}

function leafOf(index: number): Uint8Array {
  return hasher.leaf(Buffer.from(`entry ${index}`));
}

t.test('a proof is a text that verifies without the log', async (t) => {
  for (const [index, size] of [
    [0, 1],
    [5, 7],
    [256, 257],
  ] as const) {
    const proof = await prove(index, size, Buffer.from('what helps'));
    const text = formatProofFile(proof);
    const read = parseProofFile(Buffer.from(text));
    t.equal(formatProofFile(read), text);
    for (const crypto of [nodeCrypto, webCrypto]) {
      const { checkpoint, note } = await verifyProofFile(crypto, policy, leafOf(index), read);
      t.equal(checkpoint.size, size);
      t.same(
        note.signatures.map(({ timeSeconds }) => timeSeconds),
        [undefined, 1_700_000_000, 1_700_000_001],
      );
    }
    await t.rejects(verifyProofFile(nodeCrypto, policy, leafOf(index + 1), read), {
      name: 'ProofFault',
    });
  }
});

t.test('the lines are those of the format', async (t) => {
  const proof = await prove(5, 7, Buffer.from('x'));
  const [head = '', ...rest] = formatProofFile(proof).split('\n\n');
  t.match(head, /^c2sp\.org\/tlog-proof@v1\nextra eA==\nindex 5(\n[\w+/]{43}=){3}$/);
  t.equal(rest.join('\n\n'), proof.checkpoint);
  const { extra: _, ...plain } = proof;
  t.match(formatProofFile(plain), /^c2sp\.org\/tlog-proof@v1\nindex 5\n/);
  t.match(formatProofFile(await prove(0, 1)), /^c2sp\.org\/tlog-proof@v1\nindex 0\n\nlog\.example/);
});

t.test('every changed byte of a proof is noticed', async (t) => {
  const text = Buffer.from(formatProofFile(await prove(5, 7)));
  for (const changed of changedBytes(text)) {
    const opened = async (): Promise<unknown> =>
      verifyProofFile(nodeCrypto, policy, leafOf(5), parseProofFile(changed));
    await t.rejects(opened(), { name: /^(Format|Proof)Fault$/ });
  }
});

t.test('what is no proof is refused', async (t) => {
  const text = formatProofFile(await prove(5, 7, Buffer.from('x')));
  const change = (from: string | RegExp, to: string): string => text.replace(from, to);
  const hash = text.split('\n')[3] ?? '';
  const wrong = [
    '',
    change('@v1', '@v2'),
    change('c2sp', ' c2sp'),
    change('extra eA==', 'extra eB=='),
    change('extra eA==', 'extra eA== '),
    change('extra eA==', 'extra  eA=='),
    change('extra eA==', 'extra eA==\nextra eA=='),
    change('extra eA==\nindex 5', 'index 5\nextra eA=='),
    change('extra eA==', 'Extra eA=='),
    change('index 5', 'index 05'),
    change('index 5', 'index +5'),
    change('index 5', 'index  5'),
    change('index 5', 'index'),
    change('index 5\n', ''),
    change('index 5', 'index 9007199254740992'),
    change('\n\n', '\n'),
    change('\n\n', '\n\n\n'),
    change(hash, hash.slice(0, -1)),
    change(hash, 'AAAA'),
    change(hash, `${hash} `),
    change(hash, `${hash}\n`.repeat(62).trimEnd()),
    text.replaceAll('\n', '\r\n'),
    text.trimEnd(),
    `${text}\n`,
    text.slice(0, text.indexOf('\n\n') + 1),
  ];
  for (const given of wrong) {
    t.throws(
      () => parseProofFile(given),
      { name: 'FormatFault' },
      JSON.stringify(given.slice(0, 80)),
    );
  }
});

t.test('a checkpoint needs the log and the quorum', async (t) => {
  const tree = new LogDouble().grow(numberedEntries(7));
  const { checkpoint } = await verifyCheckpoint(nodeCrypto, policy, await signCheckpoint(tree, 2));
  t.equal(checkpoint.size, 7);
  for (const count of [0, 1]) {
    const note = await signCheckpoint(tree, count);
    await t.rejects(verifyCheckpoint(nodeCrypto, policy, note), { message: /too few/ });
  }
  const other = { ...policy, logs: [] };
  const note = await signCheckpoint(tree, 2);
  await t.rejects(verifyCheckpoint(nodeCrypto, other, note), { message: /no log with the origin/ });
});
