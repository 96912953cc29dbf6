import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import t from 'tap';

import { formatProofFile } from '../../../server/tlog/note/proof-file.ts';
import { AuthenticTiles } from '../../../server/tlog/tree/authentic-tiles.ts';
import { hasher, LogDouble, numberedEntries } from '../../support/log-double.ts';
import { policyText, signCheckpoint } from '../../support/signed-log.ts';

/** A browser imports these folders as they are, so they need nothing that it has not. */
const folders = ['encoding', 'tree', 'note', 'leaf'];
const library = new URL('../../../server/tlog/', import.meta.url);

t.test('the library imports nothing but itself', async (t) => {
  for (const folder of folders) {
    const names = (await readdir(new URL(`${folder}/`, library))).filter((n) => n.endsWith('.js'));
    t.ok(names.length > 1, `${folder} has files`);
    for (const name of names) {
      const text = await readFile(new URL(`${folder}/${name}`, library), 'utf8');
      const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, to]) => to);
      const own = /^(\.|\.\.\/(encoding|tree|note|leaf))\/[a-z0-9-]+\.js$/;
      t.same(
        targets.filter((target = '') => !own.test(target)),
        [],
        `${folder}/${name}`,
      );
    }
  }
});

// Names that only Node has are taken away before the library is loaded.
const program = `
  const { proof, policy, leaf, library } = JSON.parse(process.argv[1]);
  for (const name of ['Buffer', 'process', 'require', 'global', 'setImmediate']) {
    delete globalThis[name];
  }
  const load = (path) => import(new URL(path, library));
  const { parsePolicy } = await load('note/policy.js');
  const { parseProofFile, verifyProofFile } = await load('note/proof-file.js');
  const { webCrypto } = await load('note/web-crypto.js');
  const hash = Uint8Array.from(leaf);
  const rules = parsePolicy(webCrypto.sha256, policy);
  const { checkpoint } = await verifyProofFile(webCrypto, rules, hash, parseProofFile(proof));
  console.info(checkpoint.size);
`;

t.test('a proof is verified without anything of Node', async (t) => {
  const log = new LogDouble();
  const tree = log.grow(numberedEntries(300));
  const hashes = await new AuthenticTiles(hasher, log, tree).proveInclusion(5);
  const checkpoint = await signCheckpoint(tree, 2);
  const proof = formatProofFile({ index: 5, hashes, checkpoint });
  const leaf = [...hasher.leaf(Buffer.from('entry 5'))];
  const given = JSON.stringify({ proof, policy: policyText, leaf, library });
  const parameters = ['--no-warnings', '--input-type=module', '--eval', program, given];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  t.equal(stdout, '300\n');
});
