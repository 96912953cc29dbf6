import { createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import type { NoteCrypto, SignEd25519 } from './note/crypto.ts';
import { makeVerifierKey, type SignatureType } from './note/verifier-key.ts';
import type { NoteSigner } from './note/signer.ts';

/** The bytes before the 32 bytes of an Ed25519 key in DER (RFC 8410). */
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex');
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');
const seedBytes = 32;

/** The library's needs from OpenSSL. */
export const nodeCrypto: NoteCrypto = {
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  verifyEd25519: (publicKey, message, signature) =>
    verify(null, message, openPublicKey(publicKey), signature),
};

function openPublicKey(bytes: Uint8Array): KeyObject {
  const key = Buffer.concat([publicKeyHead, bytes]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

/** A signer from its seed, which nothing else gets to see. */
export function openSigner(name: string, type: SignatureType, seed: Uint8Array): NoteSigner {
  if (seed.length !== seedBytes) throw new RangeError(`a seed has ${seedBytes} bytes`);
  const bytes = Buffer.concat([privateKeyHead, seed]);
  const privateKey = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(publicKeyHead.length);
  const signMessage: SignEd25519 = (message) => sign(null, message, privateKey);
  const key = makeVerifierKey(nodeCrypto.sha256, { name, type, publicKey });
  return { key, sign: signMessage };
}
