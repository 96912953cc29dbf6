import { sha256 } from '../tree/sha256.ts';
import type { NoteCrypto } from './crypto.ts';

/** Crypto for browsers and other runtimes of Web Crypto with Ed25519. */
export const webCrypto: NoteCrypto = { sha256, verifyEd25519 };

/** Copies what it is given, since browsers take no bytes of shared memory. */
async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const raw = new Uint8Array(publicKey);
  const key = await subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message));
}
