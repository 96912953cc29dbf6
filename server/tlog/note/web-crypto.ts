import { sha256 } from '../tree/sha256.ts';
import type { NoteCrypto } from './crypto.ts';

/** For browsers, and for whatever else has Web Crypto with Ed25519. */
export const webCrypto: NoteCrypto = { sha256, verifyEd25519 };

async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, signature, message);
}
