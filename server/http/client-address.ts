import { isLoopback, plainAddress } from '../model/ip-address.ts';

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
  const isPassedOn = proxyHeaders.some((name) => header(name) !== undefined);
  return isLoopback(address) && !isPassedOn && loopbackHost.test(header('host') ?? 'localhost');
}
