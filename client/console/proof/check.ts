import { encodeBase64 } from '../../../server/tlog/encoding/base64.ts';
import { leafHashOf, parseOpening } from '../../../server/tlog/leaf/commitment.ts';
import {
  isOperationOpening,
  verifyOperationFile,
} from '../../../server/tlog/leaf/operation-opening.ts';
import type { Statement } from '../../../server/tlog/leaf/statement.ts';
import { parsePolicy } from '../../../server/tlog/note/policy.ts';
import {
  parseProofFile,
  verifyCheckpoint,
  verifyProofFile,
} from '../../../server/tlog/note/proof-file.ts';
import { webCrypto } from '../../../server/tlog/note/web-crypto.ts';

/** A step of a check that this browser has made, with its result. */
export interface Step {
  readonly name: string;
  readonly found: string;
  readonly isGood: boolean;
}

/** An operation that a proof should contain. */
export interface Expected {
  readonly workbook?: string;
  readonly seq: number;
}

interface Checked {
  readonly statement: Statement;
  readonly leafHash: Uint8Array;
  readonly seq?: number;
}

/** Returns whether this browser can check signatures of Ed25519. */
export async function canCheck(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    return true;
  } catch {
    return false;
  }
}

/** Checks a `.tlog-proof` step by step, and ends with the first step that fails. */
export async function checkProof(
  proofText: string,
  policyText: string,
  expected: Expected | undefined,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  let name = 'The checkpoint is signed';
  const good = (found: string) => steps.push({ name, found, isGood: true });
  try {
    good(await checkSignatures(proofText, policyText));
    name = 'The entry is in the log';
    const checked = await checkInclusion(proofText, policyText);
    good(`The leaf hash ${encodeBase64(checked.leafHash)} leads to the root that was signed.`);
    name = 'It is about this';
    good(checkSubject(checked, expected));
  } catch (fault) {
    steps.push({ name, found: (fault as Error).message, isGood: false });
  }
  return steps;
}

async function checkSignatures(proofText: string, policyText: string): Promise<string> {
  const policy = parsePolicy(webCrypto.sha256, policyText);
  const file = parseProofFile(proofText);
  const { checkpoint, note } = await verifyCheckpoint(webCrypto, policy, file.checkpoint);
  const names = note.signatures.map(({ key }) => key.name).join(', ');
  return `${checkpoint.origin} with ${checkpoint.size} entries was signed by ${names}.`;
}

async function checkInclusion(proofText: string, policyText: string): Promise<Checked> {
  const { sha256 } = webCrypto;
  const policy = parsePolicy(sha256, policyText);
  const file = parseProofFile(proofText);
  const extra = file.extra ?? new Uint8Array();
  if (isOperationOpening(extra)) {
    const { opening, proof } = await verifyOperationFile(webCrypto, policy, proofText);
    return {
      statement: opening.statement,
      leafHash: leafHashOf(sha256, opening),
      seq: proof.seq,
    };
  }
  const opening = parseOpening(extra);
  const leafHash = leafHashOf(sha256, opening);
  await verifyProofFile(webCrypto, policy, leafHash, file);
  return { statement: opening.statement, leafHash };
}

function checkSubject({ statement, seq }: Checked, expected: Expected | undefined): string {
  const { workbook, branch, firstSeq, lastSeq, timeMilliseconds } = statement;
  const said =
    seq === undefined
      ? `A ${statement.kind} about operations ${firstSeq} to ${lastSeq}`
      : `Operation ${seq}`;
  const time = new Date(timeMilliseconds).toLocaleString();
  const text = `${said} of branch ${branch} of ${workbook}, logged with the time ${time}.`;
  const isOther =
    expected !== undefined &&
    ((expected.workbook ?? workbook) !== workbook || expected.seq !== seq);
  if (!isOther) return text;
  throw new Error(`The proof is about something else than was asked for. ${text}`);
}
