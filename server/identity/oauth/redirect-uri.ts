const loopback = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/;
/** A name, an IPv4 or an IPv6 address: no character in it can end a directive of a policy. */
const host = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/;
/** A private scheme of a client: the reverse of a domain name that it owns (RFC 8252, 7.1). */
const reverseDomain = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;
/** Schemes without a domain that well-known editors and assistants register. */
const knownClients: ReadonlySet<string> = new Set([
  'claude:',
  'cursor:',
  'raycast:',
  'vscode-insiders:',
  'vscode:',
  'warp:',
  'windsurf:',
  'zed:',
]);

/** Explains why an address cannot be registered; undefined when it can. */
export function redirectFault(text: string): string | undefined {
  // Browsers drop tabs and line breaks within an address, and blanks around it, so they are
  // refused.
  if (text.length > 2000 || !/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) {
    return 'is not an address';
  }
  const { protocol, username, password } = new URL(text);
  if (text.includes('#')) return 'has a fragment';
  if (username !== '' || password !== '') return 'has a user in it';
  return protocol === 'http:' || protocol === 'https:' ? webFault(text) : schemeFault(protocol);
}

function webFault(text: string): string | undefined {
  const { protocol, hostname } = new URL(text);
  if (!host.test(hostname)) return 'has a host that is no name and no address';
  if (protocol === 'https:' || loopback.test(hostname)) return undefined;
  return 'is not https, and not loopback';
}

function schemeFault(protocol: string): string | undefined {
  if (reverseDomain.test(protocol) || knownClients.has(protocol)) return undefined;
  return 'has a scheme that is not allowed: take https, http on loopback, or the reverse of a domain such as com.example.app';
}

/**
 * Compares addresses exactly, except for the port of a loopback address, which native clients
 * choose (RFC 8252).
 */
export function isRegistered(text: string, registered: readonly string[]): boolean {
  if (redirectFault(text) !== undefined) return false;
  if (registered.includes(text)) return true;
  const given = new URL(text);
  if (given.protocol !== 'http:' || !loopback.test(given.hostname)) return false;
  given.port = '';
  return registered.some((one) => {
    if (!one.startsWith('http:')) return false;
    const known = new URL(one);
    known.port = '';
    return known.href === given.href;
  });
}

/** Returns the source for a Content-Security-Policy that allows a form to lead to this address. */
export function formTarget(text: string): string {
  const { protocol, origin } = new URL(text);
  return origin === 'null' ? protocol : origin;
}
