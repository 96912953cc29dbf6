import { nodeCrypto, openSigner } from '../../server/tlog/node-crypto.ts';
import { formatCheckpoint } from '../../server/tlog/note/checkpoint.ts';
import { formatNote } from '../../server/tlog/note/note.ts';
import { parsePolicy, type Policy } from '../../server/tlog/note/policy.ts';
import { cosignCheckpoint, signNote, type NoteSigner } from '../../server/tlog/note/signer.ts';
import { formatVerifierKey } from '../../server/tlog/note/verifier-key.ts';
import type { TreeHead } from '../../server/tlog/tree/verify.ts';

function seed(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte);
}

export const origin = 'log.example/v1/tlog';
export const logSigner: NoteSigner = openSigner(origin, 'ed25519', seed(7));
export const witnessSigners: readonly NoteSigner[] = [1, 2, 3].map((number) =>
  openSigner(`witness.example/w${number}`, 'cosignature', seed(number)),
);

/** A log and three witnesses, of which two are needed. */
export const policyText = [
  `log ${formatVerifierKey(logSigner.key)} https://log.example/v1/tlog`,
  ...witnessSigners.map(({ key }, index) => `witness w${index + 1} ${formatVerifierKey(key)}`),
  'group two 2 w1 w2 w3',
  'quorum two',
  '',
].join('\n');

export const policy: Policy = parsePolicy(nodeCrypto.sha256, policyText);

/** A checkpoint that the log and so many witnesses have signed. */
export async function signCheckpoint(tree: TreeHead, witnessCount: number): Promise<string> {
  const text = formatCheckpoint({ origin, ...tree, extensions: [] });
  const witnesses = witnessSigners.slice(0, witnessCount);
  const signatures = [await signNote(logSigner, text)];
  for (const [index, witness] of witnesses.entries()) {
    signatures.push(await cosignCheckpoint(witness, text, 1_700_000_000 + index));
  }
  return formatNote({ text, signatures });
}
