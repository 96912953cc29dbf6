import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';

import type { Environment } from '../model/environment.ts';

const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/** Returns the id of a repeat. The same key from another address has another id. */
export function repeatId(key: string, address: string): Buffer {
  return createHash('sha256').update(`${address}\n${key}`).digest();
}

export function fingerprintOf(request: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(request)).digest();
}

/** Seals an answer that holds secrets; only the Idempotency-Key opens it. */
export function seal(text: string, key: string, environment: Environment): Buffer {
  const nonce = environment.random(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(key), nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

export function unseal(sealed: Buffer, key: string): string {
  const nonce = sealed.subarray(0, nonceBytes);
  const opener = createDecipheriv('aes-256-gcm', sealingKey(key), nonce);
  opener.setAuthTag(sealed.subarray(-tagBytes));
  const text = opener.update(sealed.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, opener.final()]).toString('utf8');
}

function sealingKey(key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'quire registration answer', keyBytes));
}
