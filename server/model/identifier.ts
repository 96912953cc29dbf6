import type { Environment } from './environment.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLength = 10;
const randomBytes = 16;

/** An id that people see: a prefix and a ULID, which sorts by the time it was made. */
export function makeId(prefix: string, environment: Environment): string {
  let time = environment.now();
  let timeText = '';
  for (let digit = 0; digit < timeLength; digit++) {
    timeText = (alphabet[time % 32] ?? '') + timeText;
    time = Math.floor(time / 32);
  }
  let randomText = '';
  for (const byte of environment.random(randomBytes)) randomText += alphabet[byte % 32] ?? '';
  return `${prefix}${timeText}${randomText}`;
}
