import { decodeBase64, decodeBase64Of, encodeBase64 } from '../encoding/base64.ts';
import { concatBytes, decodeText, encodeText } from '../encoding/bytes.ts';
import { parseDecimal } from '../encoding/decimal.ts';
import { FormatFault, quote } from '../encoding/fault.ts';
import type { NoteCrypto } from '../note/crypto.ts';
import type { Policy } from '../note/policy.ts';
import { parseProofFile, verifyProofFile, type VerifiedCheckpoint } from '../note/proof-file.ts';
import { hashBytes, TreeHasher } from '../tree/hasher.ts';
import { formatOpening, leafHashOf, parseOpening, type Opening } from './commitment.ts';
import { verifyOperation, type OperationProof } from './operation-proof.ts';
import { nonceBytes } from './workbook-key.ts';

const firstLine = 'wboperation/v1';
const noPath = '-';
const names = ['seq', 'nonce', 'record', 'path'] as const;
const newline = 0x0a;

/** One operation, and the hashes that lead from it to an entry of the log. */
export interface OperationOpening {
  /** The operation as the journal has it. */
  readonly record: Uint8Array;
  readonly proof: OperationProof;
  /** Opens the entry about the segment that the operation is in. */
  readonly opening: Opening;
}

/** The `extra` of a `.tlog-proof` of one operation. */
export function formatOperationOpening({ record, proof, opening }: OperationOpening): Uint8Array {
  const { seq, nonce, hashes } = proof;
  const path = hashes.length === 0 ? noPath : hashes.map(encodeBase64).join(' ');
  const lines = [
    firstLine,
    `seq ${seq}`,
    `nonce ${encodeBase64(nonce)}`,
    `record ${encodeBase64(record)}`,
    `path ${path}`,
  ];
  return concatBytes([encodeText(`${lines.join('\n')}\n`), formatOpening(opening)]);
}

/**
 * Returns whether the extra data of a proof is about one operation, and not about a statement
 * alone.
 */
export function isOperationOpening(given: Uint8Array): boolean {
  const head = encodeText(`${firstLine}\n`);
  return head.every((byte, index) => given[index] === byte);
}

export function parseOperationOpening(given: Uint8Array): OperationOpening {
  const { lines, rest } = splitLines(given, names.length + 1);
  if (lines[0] !== firstLine) {
    throw new FormatFault(`the operation begins with ${quote(lines[0] ?? '')}, not ${firstLine}`);
  }
  const [seq = '', nonce = '', record = '', path = ''] = names.map((name, index) => {
    const line = lines[index + 1] ?? '';
    if (line.startsWith(`${name} `)) return line.slice(name.length + 1);
    throw new FormatFault(`line ${index + 2} of the operation is not ${name}: ${quote(line)}`);
  });
  const hashes = path === noPath ? [] : path.split(' ');
  return {
    record: decodeBase64(record, 'the record'),
    proof: {
      seq: parseDecimal(seq, 'the sequence number'),
      nonce: decodeBase64Of(nonceBytes, nonce, 'the nonce'),
      hashes: hashes.map((hash) => decodeBase64Of(hashBytes, hash, 'a hash of the path')),
    },
    opening: parseOpening(rest),
  };
}

function splitLines(given: Uint8Array, count: number): { lines: string[]; rest: Uint8Array } {
  const lines: string[] = [];
  let at = 0;
  while (lines.length < count) {
    const end = given.indexOf(newline, at);
    if (end < 0) throw new FormatFault(`the operation ends after ${lines.length} lines`);
    lines.push(decodeText(given.subarray(at, end), 'the operation'));
    at = end + 1;
  }
  return { lines, rest: given.subarray(at) };
}

export interface VerifiedOperation extends OperationOpening, VerifiedCheckpoint {}

/** Fails unless a log of the policy has a statement that covers this very operation. */
export async function verifyOperationFile(
  crypto: NoteCrypto,
  policy: Policy,
  file: Uint8Array | string,
): Promise<VerifiedOperation> {
  const proof = parseProofFile(file);
  const opened = parseOperationOpening(proof.extra ?? new Uint8Array());
  const { statement } = opened.opening;
  verifyOperation(new TreeHasher(crypto.sha256), statement, opened.record, opened.proof);
  const leafHash = leafHashOf(crypto.sha256, opened.opening);
  return { ...opened, ...(await verifyProofFile(crypto, policy, leafHash, proof)) };
}
