import type { Sha256 } from '../tree/hasher.ts';

export const publicKeyBytes = 32;
export const ed25519Bytes = 64;

/**
 * Cryptography that notes need of the platform: node:crypto on a server, Web Crypto in a browser.
 */
export interface NoteCrypto {
  readonly sha256: Sha256;
  /**
   * Returns whether it is a signature (RFC 8032) of the message; false, too, for bytes that are no
   * key.
   */
  verifyEd25519(
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
  ): boolean | Promise<boolean>;
}

/** Signs a message with Ed25519, without access to the key. */
export type SignEd25519 = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
