import { nodeCrypto, openSigner } from '../../server/tlog/node-crypto.ts';
import { parseCheckpoint } from '../../server/tlog/note/checkpoint.ts';
import { formatSignature, parseNote, verifyNote } from '../../server/tlog/note/note.ts';
import { cosignCheckpoint, type NoteSigner } from '../../server/tlog/note/signer.ts';
import { formatVerifierKey, type VerifierKey } from '../../server/tlog/note/verifier-key.ts';
import type { PostToWitness } from '../../server/tlog/service/witnesses.ts';
import { verifyConsistency, type TreeHead } from '../../server/tlog/tree/verify.ts';
import { hasher } from './log-double.ts';

/** A C2SP tlog-witness in memory, which can be told to fail. */
export class WitnessDouble {
  readonly name: string;
  readonly #signer: NoteSigner;
  readonly #logKeys: readonly VerifierKey[];
  /** Tree that the witness saw last; a test may set it. */
  seen: TreeHead = { size: 0, root: hasher.empty() };
  answer: 'right' | 'silent' | 'wrong' | 'garbled' = 'right';
  /** True to name its size where only the roots differ. */
  isNamingSize = false;
  readonly asked: string[] = [];

  constructor(name: string, logKeys: readonly VerifierKey[]) {
    this.name = name;
    const seed = new Uint8Array(32).fill(name.length, 0, 16).fill(name.charCodeAt(0), 16);
    this.#signer = openSigner(`witness.example/${name}`, 'cosignature', seed);
    this.#logKeys = logKeys;
  }

  get policyLine(): string {
    return `witness ${this.name} ${formatVerifierKey(this.#signer.key)} https://${this.name}.example/w`;
  }

  readonly post = async (body: string): ReturnType<PostToWitness> => {
    const text = 'text/plain';
    if (this.answer === 'silent') throw new Error('no answer in time');
    if (this.answer === 'garbled') return { status: 200, type: text, text: 'thank you\n' };
    const split = body.indexOf('\n\n');
    const [oldLine = '', ...proof] = body.slice(0, split).split('\n');
    const note = parseNote(body.slice(split + 2));
    const verified = await verifyNote(nodeCrypto, note, this.#logKeys);
    const tree = parseCheckpoint(verified.text);
    const oldSize = Number(oldLine.replace('old ', ''));
    this.asked.push(`${oldSize} ${tree.size}`);
    if (oldSize > tree.size) return { status: 400, type: text, text: 'old is larger\n' };
    if (oldSize !== this.seen.size) {
      return { status: 409, type: 'text/x.tlog.size', text: `${this.seen.size}\n` };
    }
    if (oldSize === tree.size && !Buffer.from(tree.root).equals(this.seen.root)) {
      // C2SP tlog-witness says nothing of a size here; some name theirs all the same.
      return this.isNamingSize
        ? { status: 409, type: 'text/x.tlog.size', text: `${this.seen.size}\n` }
        : { status: 409, type: text, text: 'another root\n' };
    }
    try {
      const hashes = proof.map((line) => Buffer.from(line, 'base64'));
      verifyConsistency(hasher, this.seen, tree, hashes);
    } catch {
      return { status: 422, type: text, text: 'not consistent\n' };
    }
    this.seen = tree;
    const signed = this.answer === 'wrong' ? `${verified.text}more\n` : verified.text;
    const signature = await cosignCheckpoint(this.#signer, signed, 1_700_000_000 + tree.size);
    return { status: 200, type: text, text: formatSignature(signature) };
  };
}

/** Brings each request to the witness of its address. */
export function postTo(witnesses: readonly WitnessDouble[]): PostToWitness {
  return async (url, body) => {
    const witness = witnesses.find(
      ({ name }) => url === `https://${name}.example/w/add-checkpoint`,
    );
    if (!witness) throw new Error(`nobody is at ${url}`);
    return witness.post(body);
  };
}
