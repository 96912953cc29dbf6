import { decodeBase64, encodeBase64 } from '../../../server/tlog/encoding/base64.ts';
import { parseCheckpoint, type Checkpoint } from '../../../server/tlog/note/checkpoint.ts';
import { parseNote, type VerifiedNote } from '../../../server/tlog/note/note.ts';
import { parsePolicy, type Policy, type PolicyKey } from '../../../server/tlog/note/policy.ts';
import { verifyCheckpoint } from '../../../server/tlog/note/proof-file.ts';
import { webCrypto } from '../../../server/tlog/note/web-crypto.ts';
import { TreeHasher } from '../../../server/tlog/tree/hasher.ts';
import { verifyConsistency } from '../../../server/tlog/tree/verify.ts';
import type { Step } from '../proof/check.ts';

/** A key that a checkpoint may be signed with, and what this browser found of its signature. */
export interface Signer {
  readonly name: string;
  readonly isWitness: boolean;
  readonly hasSigned: boolean;
  /** Time that a witness signed with it. */
  readonly signedAt?: string;
}

/** Result of a look at a log. */
export interface LogCheck {
  readonly steps: readonly Step[];
  /** Undefined where the signatures are not right. */
  readonly checkpoint: Checkpoint | undefined;
  readonly signers: readonly Signer[];
  /** True where two signed checkpoints exclude each other. */
  readonly isContradicted: boolean;
}

export interface Served {
  /** Newest checkpoint that the service answers, as a signed note. */
  readonly note: string;
  readonly policyText: string;
  /** The newest one that was found right before. */
  readonly seen: string | undefined;
  /** Requests the hashes of a proof that one size begins with another one, in base64. */
  readonly prove: (from: number, to: number) => Promise<readonly string[]>;
}

/** Returns the tree that a note names, before anything of it is believed. */
export function claimOf(note: string): Checkpoint {
  return parseCheckpoint(parseNote(note).text);
}

/**
 * Checks that the newest checkpoint is signed as the policy wants, and that its tree goes on from
 * the one that was seen before (RFC 6962, section 2.1.2).
 */
export async function checkLog(served: Served): Promise<LogCheck> {
  const steps: Step[] = [];
  let name = 'The checkpoint is signed';
  let [checkpoint, signers]: [Checkpoint | undefined, readonly Signer[]] = [undefined, []];
  try {
    const policy = parsePolicy(webCrypto.sha256, served.policyText);
    const verified = await verifyCheckpoint(webCrypto, policy, served.note);
    checkpoint = verified.checkpoint;
    signers = signersOf(policy, checkpoint.origin, verified.note);
    const names = signers.filter(({ hasSigned }) => hasSigned).map((signer) => signer.name);
    steps.push({ name, found: `By ${names.join(', ')}.`, isGood: true });
    name = 'The log goes on from what this browser saw';
    steps.push({ name, found: await goesOn(served, checkpoint), isGood: true });
  } catch (fault) {
    steps.push({ name, found: (fault as Error).message, isGood: false });
  }
  const isContradicted = checkpoint !== undefined && steps.some(({ isGood }) => !isGood);
  return { steps, checkpoint, signers, isContradicted };
}

async function goesOn({ seen, prove }: Served, now: Checkpoint): Promise<string> {
  if (seen === undefined) {
    return 'This browser had seen no checkpoint of this log. It keeps this one, and compares with it from now on.';
  }
  const before = claimOf(seen);
  const isLonger = before.size > 0 && before.size < now.size;
  const hashes = isLonger ? await prove(before.size, now.size) : [];
  const proof = hashes.map((hash) => decodeBase64(hash, 'a hash of the proof'));
  verifyConsistency(new TreeHasher(webCrypto.sha256), before, now, proof);
  const added = now.size - before.size;
  return added === 0
    ? `It has the same ${now.size} entries, with the root ${encodeBase64(now.root)}.`
    : `It begins with all ${before.size} entries that were there, and has ${added} more.`;
}

function signersOf(policy: Policy, origin: string, { signatures }: VerifiedNote): Signer[] {
  const signerOf = ({ key }: PolicyKey, isWitness: boolean): Signer => {
    const found = signatures.find((one) => one.key.id === key.id && one.key.name === key.name);
    const time = found?.timeSeconds;
    return {
      name: key.name,
      isWitness,
      hasSigned: found !== undefined,
      ...(time !== undefined && { signedAt: new Date(time * 1000).toISOString() }),
    };
  };
  return [
    ...policy.logs.filter(({ key }) => key.name === origin).map((log) => signerOf(log, false)),
    ...[...policy.witnesses.values()].map((witness) => signerOf(witness, true)),
  ];
}
