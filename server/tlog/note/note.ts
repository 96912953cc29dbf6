import { decodeBase64, encodeBase64 } from '../encoding/base64.ts';
import { concatBytes, encodeText, readText } from '../encoding/bytes.ts';
import { FormatFault, ProofFault, quote } from '../encoding/fault.ts';
import { cosignatureMessage, readCosignature } from './cosignature.ts';
import { ed25519Bytes, type NoteCrypto } from './crypto.ts';
import { checkKeyName, keyIdBytes, readKeyId, type VerifierKey } from './verifier-key.ts';

/** One line below the text. */
export interface NoteSignature {
  readonly name: string;
  readonly keyId: number;
  /** The bytes behind the key id. */
  readonly bytes: Uint8Array;
}

/** A note that was read. Nothing of it may be believed before `verifyNote`. */
export interface UnverifiedNote {
  /** The signed text: it ends in a line feed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A signature that is right; a cosignature says when it was made. */
export interface VerifiedSignature {
  readonly key: VerifierKey;
  readonly timeSeconds?: number;
}

/** A note that at least one known key has signed. */
export interface VerifiedNote {
  readonly text: string;
  readonly signatures: readonly VerifiedSignature[];
}

const noteCharactersMost = 1_000_000;
const signaturesMost = 100;
const keyIdLength = 4;
const dash = '\u2014';

export function formatSignature({ name, keyId, bytes }: NoteSignature): string {
  checkKeyName(name);
  return `${dash} ${name} ${encodeBase64(concatBytes([keyIdBytes(keyId), bytes]))}\n`;
}

export function formatNote({ text, signatures }: UnverifiedNote): string {
  checkText(text);
  if (signatures.length === 0) throw new FormatFault('a note has at least one signature');
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

/** Takes a note apart. Its last empty line separates the text from the signatures. */
export function parseNote(given: Uint8Array | string): UnverifiedNote {
  if (given.length > noteCharactersMost) {
    throw new FormatFault(`the note has more than ${noteCharactersMost} bytes`);
  }
  const note = readText(given, 'the note');
  const split = note.lastIndexOf('\n\n');
  if (split < 0) throw new FormatFault('the note has no empty line before its signatures');
  const text = note.slice(0, split + 1);
  checkText(text);
  return { text, signatures: parseSignatures(note.slice(split + 2)) };
}

/** Signature lines by themselves, as a witness answers them. */
export function parseSignatures(lines: string): NoteSignature[] {
  if (!lines.endsWith('\n')) {
    throw new FormatFault('the last signature line does not end in a line feed');
  }
  const signatures = lines.slice(0, -1).split('\n').map(parseSignature);
  if (signatures.length <= signaturesMost) return signatures;
  throw new FormatFault(`the note has more than ${signaturesMost} signatures`);
}

function parseSignature(line: string): NoteSignature {
  const [, name, text] = /^\u2014 ([^ ]+) ([^ ]+)$/u.exec(line) ?? [];
  if (name === undefined || text === undefined) {
    throw new FormatFault(`${quote(line)} is not a signature line: ${dash} name base64`);
  }
  checkKeyName(name);
  const bytes = decodeBase64(text, `the signature of ${quote(name)}`);
  if (bytes.length <= keyIdLength) {
    throw new FormatFault(`the signature of ${quote(name)} has only ${bytes.length} bytes`);
  }
  return { name, keyId: readKeyId(bytes), bytes: bytes.subarray(keyIdLength) };
}

/**
 * Verifies every signature of a known key, and ignores those of others. Fails for a wrong
 * signature, and for a note without any known one.
 */
export async function verifyNote(
  crypto: NoteCrypto,
  note: UnverifiedNote,
  keys: readonly VerifierKey[],
): Promise<VerifiedNote> {
  const signatures: VerifiedSignature[] = [];
  for (const signature of note.signatures) {
    const { name, keyId } = signature;
    const known = keys.filter((key) => key.name === name && key.id === keyId);
    const [key] = known;
    if (key === undefined) continue;
    if (known.length > 1) throw new ProofFault(`two known keys are named ${quote(name)} alike`);
    signatures.push(await verifySignature(crypto, note.text, signature, key));
  }
  if (signatures.length > 0) return { text: note.text, signatures };
  const names = keys.map((key) => quote(key.name)).join(', ');
  throw new ProofFault(`the note is not signed by any known key (${names || 'none is known'})`);
}

async function verifySignature(
  crypto: NoteCrypto,
  text: string,
  { bytes }: NoteSignature,
  key: VerifierKey,
): Promise<VerifiedSignature> {
  if (key.type === 'ed25519') {
    await verifyEd25519(crypto, key, encodeText(text), bytes);
    return { key };
  }
  const { timeSeconds, signature } = readCosignature(key.name, bytes);
  await verifyEd25519(crypto, key, cosignatureMessage(timeSeconds, text), signature);
  return { key, timeSeconds };
}

async function verifyEd25519(
  crypto: NoteCrypto,
  key: VerifierKey,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<void> {
  const isLong = signature.length === ed25519Bytes;
  if (isLong && (await crypto.verifyEd25519(key.publicKey, message, signature))) return;
  throw new ProofFault(`the signature of ${quote(key.name)} is not one of this text`);
}

function checkText(text: string): void {
  if (!text.endsWith('\n')) throw new FormatFault('the text does not end in a line feed');
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x20 || code === 0x0a) continue;
    throw new FormatFault(`the text has the control character ${code}`);
  }
}
