import { isIP } from 'node:net';

/**
 * Returns the address of the client, as far as it can be believed: the socket's address, unless
 * that is a trusted proxy. Behind a proxy it is the last address in X-Forwarded-For that is none of
 * the trusted proxies; addresses before it can be made up.
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

/** Headers of which at least one is there when a proxy passed a request on. */
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
] as const;
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Returns whether the request comes from this machine. Behind a proxy on the same host all requests
 * come from loopback, so one that was passed on, or that was sent to a public name, is not local.
 */
export function isLocalCall({
  address,
  header,
}: {
  readonly address: string;
  readonly header: (name: string) => string | undefined;
}): boolean {
  const isLoopback = address.startsWith('127.') || address === '0:0:0:0:0:0:0:1';
  const isPassedOn = proxyHeaders.some((name) => header(name) !== undefined);
  return isLoopback && !isPassedOn && loopbackHost.test(header('host') ?? 'localhost');
}
