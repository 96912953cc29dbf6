import { decodeBase64Of, encodeBase64 } from '../encoding/base64.ts';
import { encodeText, equalBytes, readText } from '../encoding/bytes.ts';
import { FormatFault, ProofFault, quote } from '../encoding/fault.ts';
import { hashBytes, TreeHasher, type Sha256 } from '../tree/hasher.ts';
import { hmacSha256 } from './hmac.ts';
import { formatStatement, parseStatement, type Statement } from './statement.ts';

const entryName = 'wbtlog/v1';
const openingName = 'wbopening/v1';

/**
 * The opening of a commitment: its holder can check what was logged. The salt is as long as a hash
 * always, for HMAC takes a key with zeros behind it for the same.
 */
export interface Opening {
  readonly salt: Uint8Array;
  readonly statement: Statement;
}

export function commit(sha256: Sha256, { salt, statement }: Opening): Uint8Array {
  return commitBytes(sha256, salt, encodeText(formatStatement(statement)));
}

/** Makes the commitment from the text of a statement. */
export function commitBytes(sha256: Sha256, salt: Uint8Array, text: Uint8Array): Uint8Array {
  if (salt.length !== hashBytes) throw new RangeError(`a salt has ${hashBytes} bytes`);
  return hmacSha256(sha256, salt, text);
}

/** The entry of the log: all that the world sees of a statement. */
export function formatEntry(commitment: Uint8Array): Uint8Array {
  if (commitment.length !== hashBytes) throw new RangeError(`a commitment has ${hashBytes} bytes`);
  return encodeText(`${entryName}\n${encodeBase64(commitment)}\n`);
}

/** The commitment in an entry. */
export function parseEntry(entry: Uint8Array): Uint8Array {
  const [name, commitment = '', ...rest] = readText(entry, 'the entry').split('\n');
  if (name !== entryName || rest.length !== 1 || rest[0] !== '') {
    throw new FormatFault(`the entry is not ${quote(entryName)} and a commitment`);
  }
  return decodeBase64Of(hashBytes, commitment, 'the commitment');
}

/** The leaf hash of an opened commitment: what a proof of inclusion is about. */
export function leafHashOf(sha256: Sha256, opening: Opening): Uint8Array {
  return new TreeHasher(sha256).leaf(formatEntry(commit(sha256, opening)));
}

/** Fails unless this entry is the commitment to that statement. */
export function checkOpening(sha256: Sha256, entry: Uint8Array, opening: Opening): void {
  if (equalBytes(parseEntry(entry), commit(sha256, opening))) return;
  throw new ProofFault('the entry of the log is not a commitment to this statement');
}

/** The `extra` of a `.tlog-proof`: the salt, then the statement to its end. */
export function formatOpening({ salt, statement }: Opening): Uint8Array {
  if (salt.length !== hashBytes) throw new RangeError(`a salt has ${hashBytes} bytes`);
  const head = `${openingName}\nsalt ${encodeBase64(salt)}\n`;
  return encodeText(head + formatStatement(statement));
}

export function parseOpening(given: Uint8Array): Opening {
  const [, salt, statement] =
    /^wbopening\/v1\nsalt ([^\n]*)\n(.*)$/su.exec(readText(given, 'the opening')) ?? [];
  if (salt === undefined || statement === undefined) {
    throw new FormatFault(`the opening is not ${quote(openingName)}, a salt and a statement`);
  }
  return {
    salt: decodeBase64Of(hashBytes, salt, 'the salt'),
    statement: parseStatement(statement),
  };
}
