import { encodeText } from '../encoding/bytes.ts';
import { commitBytes, formatEntry } from '../leaf/commitment.ts';
import { formatStatement, type Statement } from '../leaf/statement.ts';
import type { WorkbookKey } from '../leaf/workbook-key.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { TreeHasher } from '../tree/hasher.ts';

/** The hashes of the log, by OpenSSL. */
export const hasher = new TreeHasher(nodeCrypto.sha256);

/** Number of the branch for statements about a whole workbook, which also has the settings. */
export const lifeCycleBranchNo = 0;

/** A stored statement, and its entry for the log. */
export interface StatementRow {
  readonly kind: Statement['kind'];
  readonly lastSeq: number;
  readonly body: string;
  /** The hash of the body, which the next statement names. */
  readonly textHash: Uint8Array;
  readonly leafHash: Buffer;
  readonly entry: Buffer;
  /** Whose it is. */
  readonly tag: Buffer;
}

export function makeStatementRow(key: WorkbookKey, statement: Statement): StatementRow {
  const { kind, lastSeq } = statement;
  const body = formatStatement(statement);
  const text = encodeText(body);
  const commitment = commitBytes(nodeCrypto.sha256, key.salt(statement), text);
  const entry = Buffer.from(formatEntry(commitment));
  const leafHash = Buffer.from(hasher.leaf(entry));
  const textHash = nodeCrypto.sha256(text);
  return { kind, lastSeq, body, textHash, leafHash, entry, tag: Buffer.from(key.tag) };
}

/** The hash that the next statement names. */
export function statementTextHash(body: string): Uint8Array {
  return nodeCrypto.sha256(Buffer.from(body));
}
