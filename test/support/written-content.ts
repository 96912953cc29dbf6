import { createHash } from 'node:crypto';

/** Bytes that show whether they are whole: the version, a filling and a hash of both. */
export function writtenContent(version: string, size: number): Buffer {
  const content = Buffer.concat([Buffer.from(`${version}\n`), Buffer.alloc(size, version)]);
  return Buffer.concat([content, hashOf(content)]);
}

/** Undefined if the bytes are not whole. */
export function writtenVersion(bytes: Uint8Array | undefined): string | undefined {
  const whole = Buffer.from(bytes ?? []);
  const hashAt = Math.max(0, whole.length - 32);
  if (!hashOf(whole.subarray(0, hashAt)).equals(whole.subarray(hashAt))) return undefined;
  return whole.toString('utf8', 0, whole.indexOf('\n'));
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
