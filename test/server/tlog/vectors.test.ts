import t from 'tap';

import { decodeBase64Of, encodeBase64 } from '../../../server/tlog/encoding/base64.ts';
import { nodeCrypto, openSigner } from '../../../server/tlog/node-crypto.ts';
import { formatCheckpoint } from '../../../server/tlog/note/checkpoint.ts';
import { formatNote, parseNote, verifyNote } from '../../../server/tlog/note/note.ts';
import { signNote } from '../../../server/tlog/note/signer.ts';
import { formatVerifierKey, parseVerifierKey } from '../../../server/tlog/note/verifier-key.ts';
import { AuthenticTiles } from '../../../server/tlog/tree/authentic-tiles.ts';
import { encodeBundle } from '../../../server/tlog/tree/entry-bundle.ts';
import { hashBytes } from '../../../server/tlog/tree/hasher.ts';
import { verifyConsistency, verifyInclusion } from '../../../server/tlog/tree/verify.ts';
import { hasher, LogDouble, numberedEntries } from '../../support/log-double.ts';

/** Roots that two other implementations, in Python and in Go, agree on. */

const roots = new Map([
  [0, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  [1, 'dziFphNIniTOLPdhmdakI/BC5LvxLX7s7pEu8nbGVwE='],
  [2, 'WkdmL9ijF9lgSaP59HxV3GfKZgUbqjaD27GbL+CaB7A='],
  [3, 'lPvQ3YNvUDAWkubQ6t5yjuGexSv/8WBu2AfIV11aqhk='],
  [7, 'mMl/C6MXXNCLAx3QhLncTmSbZNGijm6mlGRlAxc6tYc='],
  [255, 'z2Z5PmMp3/JC6zzuCm82rT46GW3MVzoex3XhAr6GPxw='],
  [256, '2mWW2VNp9f7zIquOTg2jsLUCNqqcijsdJG90Ecni4y4='],
  [257, 'XB/f6DU1gCLyOS3keNvgU/wTDP4dOggoeakM9r8Uv34='],
  [300, 'yjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eg='],
]);

const inclusionOfFiveInSeven = [
  'SFM123z+yWXxX/dF/GJcQdXqJkaTaTAWWCj3PdS2iFQ=',
  'vhV4G2KKKEFMHIoRuG24Qi+hBBIV/g18RJbSPNoeQUI=',
  'l5nzB1F+9RfCIF35tndivzR1ayAJn7ffzOdrzr0nOy4=',
];

const consistencyOfThreeAndSeven = [
  'V8efTzGuApxdS9MLBzwnyU35NDiytGl+Hh7vW8A5SkE=',
  'YcoROfaBWEHVuvLQ0tm9nf7pfImN1ve6DAqpQe5sAes=',
  'WkdmL9ijF9lgSaP59HxV3GfKZgUbqjaD27GbL+CaB7A=',
  'lK+4osoFHAVFjqOdzRmxvWjn4zUp8QtDnSphWlH2NuI=',
];

const logName = 'log.example/v1/tlog';
const logKey = 'log.example/v1/tlog+38ed1040+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs';
const checkpointOfSeven = `log.example/v1/tlog
7
mMl/C6MXXNCLAx3QhLncTmSbZNGijm6mlGRlAxc6tYc=

— log.example/v1/tlog OO0QQOLF1j0XClONDUBn4pGv+IdV+l14umJnoZZG2o3erdvEdrSuitecWJ9hhzBCBlvUY6OpPiw1q6FmzUDloFXlWgM=
`;

function hashOf(text: string): Uint8Array {
  return decodeBase64Of(hashBytes, text, 'a vector');
}

t.test('leaf and roots are those of the vectors', async (t) => {
  t.equal(
    Buffer.from(hasher.leaf(Buffer.from('entry 0'))).toString('hex'),
    '773885a613489e24ce2cf76199d6a423f042e4bbf12d7eecee912ef276c65701',
  );
  for (const [size, root] of roots) {
    const { root: own } = new LogDouble().grow(numberedEntries(size));
    t.equal(encodeBase64(own), root, `root of ${size}`);
  }
});

t.test('proofs are those of the vectors, and verify', async (t) => {
  const log = new LogDouble();
  const tree = log.grow(numberedEntries(7));
  const tiles = new AuthenticTiles(hasher, log, tree);
  const inclusion = await tiles.proveInclusion(5);
  t.same(inclusion.map(encodeBase64), inclusionOfFiveInSeven);
  const leaf = { hash: hasher.leaf(Buffer.from('entry 5')), index: 5 };
  verifyInclusion(hasher, leaf, tree, inclusionOfFiveInSeven.map(hashOf));
  const consistency = await tiles.proveConsistency(3);
  t.same(consistency.map(encodeBase64), consistencyOfThreeAndSeven);
  const old = { size: 3, root: hashOf(roots.get(3) ?? '') };
  verifyConsistency(hasher, old, tree, consistencyOfThreeAndSeven.map(hashOf));
});

t.test('the bundle of the first two entries is that of the vectors', async (t) => {
  const bundle = Buffer.from(encodeBundle(numberedEntries(2)));
  t.equal(bundle.toString('hex'), '0007656e74727920300007656e7472792031');
});

t.test('the verifier keys are those of the vectors', async (t) => {
  const signer = openSigner(logName, 'ed25519', new Uint8Array(32).fill(7));
  t.equal(formatVerifierKey(signer.key), logKey);
  for (const text of [
    logKey,
    'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  ]) {
    t.equal(formatVerifierKey(parseVerifierKey(nodeCrypto.sha256, text)), text);
  }
});

t.test('the signed checkpoint is that of the vectors, to the byte', async (t) => {
  const signer = openSigner(logName, 'ed25519', new Uint8Array(32).fill(7));
  const root = hashOf(roots.get(7) ?? '');
  const text = formatCheckpoint({ origin: logName, size: 7, root, extensions: [] });
  const signature = await signNote(signer, text);
  t.equal(formatNote({ text, signatures: [signature] }), checkpointOfSeven);
  const key = parseVerifierKey(nodeCrypto.sha256, logKey);
  const note = await verifyNote(nodeCrypto, parseNote(checkpointOfSeven), [key]);
  t.equal(note.text, text);
});
