import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

import type { Environment } from '../model/environment.ts';
import { webhookLimits as limits } from './limits.ts';

const prefix = 'whsec_';
const madeBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Makes a secret as Standard Webhooks writes it. */
export function makeSecret(environment: Environment): string {
  return prefix + Buffer.from(environment.random(madeBytes)).toString('base64');
}

/** Returns whether a text is a secret that can sign. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const bytes = keyOf(text);
  const isWhole = bytes.toString('base64') === text.slice(prefix.length);
  return (
    isWhole && bytes.length >= limits.secretBytesLeast && bytes.length <= limits.secretBytesMost
  );
}

/** The header webhook-signature. */
export function sign(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  const digest = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`);
  return `v1,${digest.digest('base64')}`;
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}

/** Secrets as the database keeps them, each bound to its webhook. */
export class SecretSeal {
  readonly #key: Buffer;
  readonly #environment: Environment;

  constructor(key: Buffer, environment: Environment) {
    this.#key = key;
    this.#environment = environment;
  }

  seal(webhookId: string, secret: string): Buffer {
    const nonce = this.#environment.random(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    cipher.setAAD(Buffer.from(webhookId));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  open(webhookId: string, sealed: Uint8Array): string {
    const bytes = Buffer.from(sealed);
    const opener = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceBytes));
    opener.setAAD(Buffer.from(webhookId));
    opener.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const opened = opener.update(bytes.subarray(nonceBytes + tagBytes));
    return Buffer.concat([opened, opener.final()]).toString();
  }
}
