import { decodeBase64, decodeBase64Of, encodeBase64 } from '../encoding/base64.ts';
import { readText } from '../encoding/bytes.ts';
import { checkCount, parseDecimal } from '../encoding/decimal.ts';
import { FormatFault, quote } from '../encoding/fault.ts';
import { hashBytes, TreeHasher } from '../tree/hasher.ts';
import { verifyInclusion } from '../tree/verify.ts';
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import type { NoteCrypto } from './crypto.ts';
import { parseNote, verifyNote, type VerifiedNote } from './note.ts';
import { checkPolicy, keysOf, type Policy } from './policy.ts';

/** A `.tlog-proof` (C2SP tlog-proof), which proves to a holder of an entry that it is in a log. */
export interface ProofFile {
  /**
   * Extra data, for which nothing vouches: it may help to find the entry, and must be checked by
   * that.
   */
  readonly extra?: Uint8Array;
  readonly index: number;
  /** Hashes from the sibling of the leaf to the child of the root. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note, to the byte. */
  readonly checkpoint: string;
}

const firstLine = 'c2sp.org/tlog-proof@v1';
const hashesMost = 63;

export function formatProofFile({ extra, index, hashes, checkpoint }: ProofFile): string {
  checkCount(index, 'the leaf index');
  parseCheckpoint(parseNote(checkpoint).text);
  const lines = [
    firstLine,
    ...(extra === undefined ? [] : [`extra ${encodeBase64(extra)}`]),
    `index ${index}`,
    ...hashes.map(encodeBase64),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

export function parseProofFile(given: Uint8Array | string): ProofFile {
  const text = readText(given, 'the proof');
  const end = text.indexOf('\n\n');
  if (end < 0) throw new FormatFault('the proof has no empty line before its checkpoint');
  const [first = '', ...lines] = text.slice(0, end).split('\n');
  if (first !== firstLine) {
    throw new FormatFault(`the proof begins with ${quote(first)}, not with ${quote(firstLine)}`);
  }
  const extraText = memberOf('extra ', lines[0]);
  if (extraText !== undefined) lines.shift();
  const indexText = memberOf('index ', lines.shift());
  if (indexText === undefined)
    throw new FormatFault('the proof does not say the index of its leaf');
  if (lines.length > hashesMost) throw new FormatFault(`the proof has over ${hashesMost} hashes`);
  const checkpoint = text.slice(end + 2);
  parseCheckpoint(parseNote(checkpoint).text);
  return {
    ...(extraText === undefined ? {} : { extra: decodeBase64(extraText, 'the extra data') }),
    index: parseDecimal(indexText, 'the index of the proof'),
    hashes: lines.map((line) => decodeBase64Of(hashBytes, line, 'a hash of the proof')),
    checkpoint,
  };
}

function memberOf(name: string, line: string | undefined): string | undefined {
  return line?.startsWith(name) === true ? line.slice(name.length) : undefined;
}

/** A signed checkpoint that a policy is content with. */
export interface VerifiedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly note: VerifiedNote;
}

/** Fails unless a log of the policy and enough of its witnesses signed this checkpoint. */
export async function verifyCheckpoint(
  crypto: NoteCrypto,
  policy: Policy,
  given: Uint8Array | string,
): Promise<VerifiedCheckpoint> {
  const note = await verifyNote(crypto, parseNote(given), keysOf(policy));
  const checkpoint = parseCheckpoint(note.text);
  checkPolicy(policy, checkpoint.origin, note);
  return { checkpoint, note };
}

/** Fails unless the policy's log has the entry with this hash. */
export async function verifyProofFile(
  crypto: NoteCrypto,
  policy: Policy,
  leafHash: Uint8Array,
  proof: ProofFile,
): Promise<VerifiedCheckpoint> {
  const verified = await verifyCheckpoint(crypto, policy, proof.checkpoint);
  const leaf = { hash: leafHash, index: proof.index };
  verifyInclusion(new TreeHasher(crypto.sha256), leaf, verified.checkpoint, proof.hashes);
  return verified;
}
