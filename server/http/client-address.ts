import { isIP } from 'node:net';

/**
 * Who sends a request, as far as can be believed: the socket's address, unless that is a proxy of
 * ours. Then it is the last address in X-Forwarded-For that is none of our proxies; what stands
 * before it was written by who knows whom.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlySet<string>,
): string {
  if (forwardedFor === undefined || !trustedProxies.has(socketAddress)) return socketAddress;
  let found = socketAddress;
  for (const part of forwardedFor.split(',').toReversed()) {
    const address = plainAddress(part.trim());
    if (address === undefined) return found;
    found = address;
    if (!trustedProxies.has(address)) return found;
  }
  return found;
}

const mapped = /^(?:0:){5}ffff:/;

/** IPv4 and IPv4-in-IPv6 as dotted numbers, IPv6 as eight groups; undefined when it is neither. */
export function plainAddress(text: string): string | undefined {
  const kind = isIP(text);
  if (kind === 4) return text;
  if (kind !== 6 || text.includes('%')) return undefined;
  const [head = '', tail] = withoutDots(text.toLowerCase()).split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  const whole = groups.map((group) => parseInt(group, 16).toString(16)).join(':');
  return mapped.test(whole) ? dotted(groups.slice(6)) : whole;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

/** The last 32 bits may be written as IPv4. */
function withoutDots(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  const bytes = text.slice(start).split('.').map(Number);
  const [one = 0, two = 0, three = 0, four = 0] = bytes;
  if (bytes.length !== 4) return text;
  return `${text.slice(0, start)}${(one * 256 + two).toString(16)}:${(three * 256 + four).toString(16)}`;
}

function dotted(groups: readonly string[]): string {
  const numbers = groups.map((group) => parseInt(group, 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join('.');
}
