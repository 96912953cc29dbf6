import { createHmac, timingSafeEqual } from 'node:crypto';

import type { Environment } from '../model/environment.ts';
import { codeLimits } from '../model/limits.ts';

const codeCount = 10 ** codeLimits.digits;
/**
 * Largest multiple of the number of codes below 2^32; numbers from here on are drawn again, so that
 * all codes are equally likely.
 */
const fairBelow = Math.floor(2 ** 32 / codeCount) * codeCount;

export function makeCode(environment: Environment): string {
  for (;;) {
    const bytes = environment.random(4);
    const number = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
    if (number < fairBelow) return String(number % codeCount).padStart(codeLimits.digits, '0');
  }
}

/** Reads a code as people type it, in one or two groups; undefined when it cannot be a code. */
export function readCode(text: string): string | undefined {
  const digits = text.replaceAll(/[\s-]/g, '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}

export function showCode(code: string): string {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}

/** Returns the HMAC of a code. A plain hash of six digits can be reversed by trying them all. */
export function codeHmac(pepper: Uint8Array, attemptId: string, code: string): Buffer {
  return createHmac('sha256', pepper).update(`${attemptId}:${code}`).digest();
}

export function isSameHmac(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
