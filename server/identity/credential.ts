import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import type { Environment } from '../model/environment.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checkLength = 6;

/** Keys, access tokens, refresh tokens and claim tokens. */
export type SecretPrefix = 'wbk_live_' | 'wbo_' | 'wbr_' | 'wbc_';

const shapes: Readonly<Record<SecretPrefix, RegExp>> = {
  wbk_live_: /^wbk_(?:live|test)_[0-9A-Za-z]{38}$/,
  wbo_: /^wbo_[0-9A-Za-z]{38}$/,
  wbr_: /^wbr_[0-9A-Za-z]{38}$/,
  wbc_: /^wbc_[0-9A-Za-z]{38}$/,
};

/**
 * Makes a secret of 190 random bits and a checksum, by which a mistyped one is refused without a
 * look-up.
 */
export function makeSecret(prefix: SecretPrefix, environment: Environment): string {
  let text: string = prefix;
  while (text.length < prefix.length + randomLength) {
    for (const byte of environment.random(randomLength)) {
      // Bytes from 248 on, the largest multiple of 62, are dropped: they would make some letters
      // likelier.
      const isFull = text.length === prefix.length + randomLength;
      if (byte < 248 && !isFull) text += alphabet[byte % alphabet.length] ?? '';
    }
  }
  return text + checksum(text);
}

export function isWellFormed(prefix: SecretPrefix, text: string): boolean {
  if (!shapes[prefix].test(text)) return false;
  return text.slice(-checkLength) === checksum(text.slice(0, -checkLength));
}

/** Returns the SHA-256 that is stored and looked up instead of the secret. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let digit = 0; digit < checkLength; digit++) {
    digits = (alphabet[rest % alphabet.length] ?? '') + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
