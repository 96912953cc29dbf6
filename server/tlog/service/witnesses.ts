import { encodeBase64 } from '../encoding/base64.ts';
import { parseDecimal } from '../encoding/decimal.ts';
import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { formatSignature, parseNote, parseSignatures, verifyNote } from '../note/note.ts';
import { isQuorum, type Policy, type PolicyKey } from '../note/policy.ts';
import { LogHalted } from './halted.ts';
import type { SignedTree } from './sql.ts';

/** Sends a request and answers what came back; fails when nothing did in time. */
export type PostToWitness = (
  url: string,
  body: string,
) => Promise<{ readonly status: number; readonly type: string; readonly text: string }>;

/** A signature line of a witness that was verified. */
export interface Cosigned {
  readonly witness: string;
  readonly line: string;
  readonly timeSeconds: number;
}

export interface CosignedNote {
  readonly note: string;
  readonly cosigned: readonly Cosigned[];
  /** True when the quorum is reached. */
  readonly isEnough: boolean;
}

/** Makes a proof of consistency from an older size. */
export type ProveGrowth = (oldSize: number) => Promise<Uint8Array[]>;

export interface Cosigners {
  readonly count: number;
  cosign(tree: SignedTree, prove: ProveGrowth): Promise<CosignedNote>;
}

/** Sizes that a witness may name one after the other before it is passed over. */
const triesMost = 3;

export interface WitnessesParts {
  readonly policy: Policy;
  readonly post: PostToWitness;
  readonly report: (step: string, error: unknown) => void;
}

/**
 * Asks witnesses to sign a checkpoint (C2SP tlog-witness). They remember the newest one they saw:
 * one that has seen more than we have is the only memory of it there is, so the log halts.
 */
export class Witnesses implements Cosigners {
  readonly #parts: WitnessesParts;
  /** Size that each witness has seen last, as far as is known. */
  readonly #sizes = new Map<string, number>();

  constructor(parts: WitnessesParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#reachable.length;
  }

  get #reachable(): (readonly [string, PolicyKey & { url: string }])[] {
    return [...this.#parts.policy.witnesses].flatMap(([name, { key, url }]) =>
      url === undefined ? [] : [[name, { key, url }] as const],
    );
  }

  async cosign(tree: SignedTree, prove: ProveGrowth): Promise<CosignedNote> {
    const asked = await Promise.allSettled(
      this.#reachable.map(([name, witness]) => this.#ask(name, witness, { tree, prove })),
    );
    const cosigned: Cosigned[] = [];
    for (const [index, outcome] of asked.entries()) {
      if (outcome.status === 'fulfilled') cosigned.push(outcome.value);
      else if (outcome.reason instanceof LogHalted) throw outcome.reason;
      else this.#parts.report(`ask witness ${this.#reachable[index]?.[0]}`, outcome.reason);
    }
    const note = tree.note + cosigned.map(({ line }) => line).join('');
    const signed = new Set(cosigned.map(({ witness }) => witness));
    const isEnough = isQuorum(this.#parts.policy, (name) => signed.has(name));
    return { note, cosigned, isEnough };
  }

  async #ask(
    name: string,
    { key, url }: PolicyKey & { url: string },
    { tree, prove }: { tree: SignedTree; prove: ProveGrowth },
  ): Promise<Cosigned> {
    const address = `${url.replace(/\/$/, '')}/add-checkpoint`;
    for (let tries = 0; tries < triesMost; tries++) {
      const oldSize = Math.min(this.#sizes.get(name) ?? 0, tree.size);
      const body = await requestBody(oldSize, tree, prove);
      const { status, type, text } = await this.#parts.post(address, body);
      if (status === 200) {
        this.#sizes.set(name, tree.size);
        return readCosignature({ name, key }, tree, text);
      }
      const isSize = status === 409 && type.startsWith('text/x.tlog.size');
      const known = isSize ? knownSize(name, text, tree.size) : undefined;
      if (isFork(status, { oldSize, known, size: tree.size })) throw fork(name, text);
      if (known === undefined) throw refusal(name, status, text);
      this.#sizes.set(name, known);
    }
    throw new Error(`${name} names another size each time`);
  }
}

async function requestBody(oldSize: number, tree: SignedTree, prove: ProveGrowth): Promise<string> {
  const hashes = await prove(oldSize);
  return `old ${oldSize}\n${hashes.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${tree.note}`;
}

/**
 * Returns whether a witness says that it has another tree: by 422, or by 409 about the very size
 * that it was asked for, which it gives where only the roots differ.
 */
function isFork(
  status: number,
  { oldSize, known, size }: { oldSize: number; known: number | undefined; size: number },
): boolean {
  if (status === 422) return true;
  return status === 409 && oldSize === size && (known ?? size) === size;
}

function fork(name: string, text: string): LogHalted {
  return new LogHalted(`witness ${name} has seen another log of this name: ${excerpt(text)}`);
}

function refusal(name: string, status: number, text: string): Error {
  return new Error(`${name} answered ${status}: ${excerpt(text)}`);
}

function excerpt(text: string): string {
  return text.slice(0, 200).trim();
}

function knownSize(name: string, text: string, size: number): number {
  const known = parseDecimal(text.replace(/\n$/, ''), `what ${name} has seen`);
  if (known <= size) return known;
  throw new LogHalted(
    `witness ${name} has seen size ${known}, and ours is ${size}: ` +
      'the database was restored from an older backup',
  );
}

/** The line of this witness, verified; lines of others are passed over. */
async function readCosignature(
  { name, key }: { name: string; key: PolicyKey['key'] },
  tree: SignedTree,
  text: string,
): Promise<Cosigned> {
  const own = parseSignatures(text).filter(
    (signature) => signature.name === key.name && signature.keyId === key.id,
  );
  const [signature] = own;
  if (own.length !== 1 || !signature) throw new FormatFault(`${name} did not sign, or not once`);
  const note = { text: parseNote(tree.note).text, signatures: [signature] };
  const verified = await verifyNote(nodeCrypto, note, [key]);
  const timeSeconds = verified.signatures[0]?.timeSeconds;
  if (timeSeconds === undefined) throw new ProofFault(`${name} does not say when it signed`);
  return { witness: name, line: formatSignature(signature), timeSeconds };
}
