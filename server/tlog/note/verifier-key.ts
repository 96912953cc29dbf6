import { decodeBase64, encodeBase64 } from '../encoding/base64.ts';
import { concatBytes, encodeText } from '../encoding/bytes.ts';
import { FormatFault, quote } from '../encoding/fault.ts';
import type { Sha256 } from '../tree/hasher.ts';
import { publicKeyBytes } from './crypto.ts';

/** The byte before the public key in a verifier key, by the kind of signature. */
export const signatureTypes = { ed25519: 0x01, cosignature: 0x04 } as const;
export type SignatureType = keyof typeof signatureTypes;

/** A public key in the form for verifiers, a vkey: `name+id+key`. */
export interface VerifierKey {
  readonly name: string;
  /** Key id. Nothing rests on this hash: it finds the key for a line, the signature decides. */
  readonly id: number;
  readonly type: SignatureType;
  readonly publicKey: Uint8Array;
}

export function makeVerifierKey(sha256: Sha256, key: Omit<VerifierKey, 'id'>): VerifierKey {
  checkKeyName(key.name);
  if (key.publicKey.length !== publicKeyBytes) {
    throw new FormatFault(
      `the key of ${quote(key.name)} has ${key.publicKey.length} bytes, not ${publicKeyBytes}`,
    );
  }
  const named = concatBytes([encodeText(`${key.name}\n`), typedKey(key)]);
  return { ...key, id: readKeyId(sha256(named)) };
}

export function formatVerifierKey(key: VerifierKey): string {
  return `${key.name}+${formatKeyId(key.id)}+${encodeBase64(typedKey(key))}`;
}

/** Reads a vkey; its id must be that of its name and key. */
export function parseVerifierKey(sha256: Sha256, text: string): VerifierKey {
  // The base64 may have a plus sign of its own, so only the first two separate.
  const [, name, idText, keyText] = /^([^+]*)\+([^+]*)\+(.*)$/su.exec(text) ?? [];
  if (name === undefined || idText === undefined || keyText === undefined) {
    throw new FormatFault(`${quote(text)} is not a verifier key: name+id+key`);
  }
  checkKeyName(name);
  if (!/^[0-9a-f]{8}$/.test(idText)) {
    throw new FormatFault(`the id of verifier key ${quote(name)} is not eight lower hex digits`);
  }
  const bytes = decodeBase64(keyText, `the key of verifier key ${quote(name)}`);
  const publicKey = bytes.subarray(1);
  const key = makeVerifierKey(sha256, { name, type: readType(bytes[0], name), publicKey });
  if (formatKeyId(key.id) === idText) return key;
  throw new FormatFault(
    `verifier key ${quote(name)} says its id is ${idText}, but it is ${formatKeyId(key.id)}: ` +
      'a character was lost or changed',
  );
}

/** Fails for what cannot name a key: empty, with a white space or a plus sign. */
export function checkKeyName(name: string): void {
  // U+0085 is a white space to Unicode and not to the language.
  if (name !== '' && !/[\s\u0085+\p{Cc}\p{Surrogate}]/u.test(name)) return;
  throw new FormatFault(
    `${quote(name)} cannot name a key: it is empty or has a space, a plus sign or a control`,
  );
}

/** The first four bytes, as one number. */
export function readKeyId(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0);
}

export function keyIdBytes(id: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, id);
  return bytes;
}

function formatKeyId(id: number): string {
  return id.toString(16).padStart(8, '0');
}

function typedKey({ type, publicKey }: Omit<VerifierKey, 'id'>): Uint8Array {
  return concatBytes([Uint8Array.of(signatureTypes[type]), publicKey]);
}

function readType(byte: number | undefined, name: string): SignatureType {
  if (byte === signatureTypes.ed25519) return 'ed25519';
  if (byte === signatureTypes.cosignature) return 'cosignature';
  throw new FormatFault(
    `verifier key ${quote(name)} has the signature type ${byte ?? 'of no key'}; ` +
      'only Ed25519 (1) and Ed25519 cosignatures (4) can be verified here',
  );
}
