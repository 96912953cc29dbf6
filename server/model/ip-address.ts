const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const version4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);
const group = /^[0-9a-f]{1,4}$/;
const groupCount = 8;
const mapped = /^(?:0:){5}ffff:/;
/** Texts that can only be meant as an address: numbers with dots between them, or anything with a colon. */
const numeric = /^[\d.]+$|:/;

/** IPv4 and IPv4-in-IPv6 as dotted numbers, IPv6 as eight groups; undefined when it is neither. */
export function plainAddress(text: string): string | undefined {
  if (version4.test(text)) return text;
  const groups = allGroups(withoutDots(text.toLowerCase()));
  if (groups === undefined || !groups.every((one) => group.test(one))) return undefined;
  const whole = groups.map((one) => parseInt(one, 16).toString(16)).join(':');
  return mapped.test(whole) ? dotted(groups.slice(6)) : whole;
}

/** Returns the eight groups, of which `::` stands for at least one; undefined if there are others. */
function allGroups(text = '::::'): string[] | undefined {
  const [before = [], after, ...more] = text.split('::').map(groupsOf);
  const missing = groupCount - before.length - (after?.length ?? 0);
  const isWhole = after === undefined ? missing === 0 : missing > 0 && more.length === 0;
  if (!isWhole) return undefined;
  return [...before, ...Array.from({ length: missing }, () => '0'), ...(after ?? [])];
}

/** Returns whether a host is an address, or a name that is no failed attempt at one. */
export function isHost(host: string): boolean {
  const [address = ''] = host.split('%');
  return !numeric.test(address) || plainAddress(address) !== undefined;
}

/** Returns whether only this machine reaches a host, which may be written as in a URL. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const address = plainAddress(host.replace(/^\[(?<inner>.*)\]$/, '$<inner>'));
  return address?.startsWith('127.') === true || address === '0:0:0:0:0:0:0:1';
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

/** The last 32 bits may be written as IPv4; undefined when they are written so and are none. */
function withoutDots(text: string): string | undefined {
  const start = text.lastIndexOf(':') + 1;
  const last = text.slice(start);
  if (!last.includes('.')) return text;
  if (!version4.test(last) || start === 0) return undefined;
  const [one = 0, two = 0, three = 0, four = 0] = last.split('.').map(Number);
  return `${text.slice(0, start)}${(one * 256 + two).toString(16)}:${(three * 256 + four).toString(16)}`;
}

function dotted(groups: readonly string[]): string {
  const numbers = groups.map((one) => parseInt(one, 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join('.');
}
