import { encodeBase64 } from '../../../server/tlog/encoding/base64.ts';
import { leafHashOf, parseOpening } from '../../../server/tlog/leaf/commitment.ts';
import {
  isOperationOpening,
  verifyOperationFile,
} from '../../../server/tlog/leaf/operation-opening.ts';
import type { Statement, StatementKind } from '../../../server/tlog/leaf/statement.ts';
import { parsePolicy } from '../../../server/tlog/note/policy.ts';
import {
  parseProofFile,
  verifyCheckpoint,
  verifyProofFile,
} from '../../../server/tlog/note/proof-file.ts';
import { webCrypto } from '../../../server/tlog/note/web-crypto.ts';
import { wayTo, type WayStep } from './way.ts';

/** A step of a check that this browser has made, with its result. */
export interface Step {
  readonly name: string;
  readonly found: string;
  readonly isGood: boolean;
  /** Hashes by which it was found, from the entry to the root. */
  readonly way?: readonly WayStep[];
}

/** An operation, or an entry about a position, that a proof should contain. */
export interface Expected {
  readonly workbook?: string;
  /** Sequence number of the operation; undefined for an entry. */
  readonly seq?: number;
  /** Kind and last sequence number of the entry. */
  readonly entry?: { readonly kind: string; readonly lastSeq: number };
}

interface Checked {
  readonly statement: Statement;
  readonly leafHash: Uint8Array;
  readonly seq?: number;
  readonly way: readonly WayStep[];
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
  const good = (found: string, way?: readonly WayStep[]) =>
    steps.push({ name, found, isGood: true, ...(way && { way }) });
  try {
    good(await checkSignatures(proofText, policyText));
    name = 'The entry is in the log';
    const checked = await checkInclusion(proofText, policyText);
    const leaf = encodeBase64(checked.leafHash);
    good(`The leaf hash ${leaf} leads to the root that was signed.`, checked.way);
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
    const leafHash = leafHashOf(sha256, opening);
    const way = wayTo(sha256, leafHash, file);
    return { statement: opening.statement, leafHash, seq: proof.seq, way };
  }
  const opening = parseOpening(extra);
  const leafHash = leafHashOf(sha256, opening);
  await verifyProofFile(webCrypto, policy, leafHash, file);
  return { statement: opening.statement, leafHash, way: wayTo(sha256, leafHash, file) };
}

function checkSubject({ statement, seq }: Checked, expected: Expected | undefined): string {
  const { workbook, branch, timeMilliseconds } = statement;
  const said = seq === undefined ? entryText(statement) : `Operation ${seq}`;
  const time = new Date(timeMilliseconds).toLocaleString();
  const text = `${said} of branch ${branch} of ${workbook}, logged with the time ${time}.`;
  if (!expected || isExpected(expected, { statement, seq })) return text;
  throw new Error(`The proof is about something else than was asked for. ${text}`);
}

function isExpected(
  { workbook, seq, entry }: Expected,
  found: Pick<Checked, 'statement'> & { readonly seq: number | undefined },
): boolean {
  const { statement } = found;
  if (workbook !== undefined && workbook !== statement.workbook) return false;
  if (!entry) return seq === found.seq;
  return entry.kind === statement.kind && entry.lastSeq === statement.lastSeq;
}

const entryKinds: Readonly<Record<StatementKind, string>> = {
  segment: 'The journal',
  branch: 'The beginning of the branch',
  merge: 'A merge',
  approval: 'An approval',
  checkpoint: 'A named position',
  archive: 'The archiving of the workbook',
  restore: 'The restoring of the workbook',
  purge: 'The end of the workbook',
};

/** Says what an entry of the log is about. */
export function entryText({
  kind,
  firstSeq,
  lastSeq,
}: Pick<Statement, 'kind' | 'firstSeq' | 'lastSeq'>): string {
  if (kind === 'segment') return `${entryKinds.segment} from ${firstSeq} to ${lastSeq}`;
  return `${entryKinds[kind]} at ${lastSeq}`;
}
