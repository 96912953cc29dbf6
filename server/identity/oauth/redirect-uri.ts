const loopback = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/;
/** A private-use scheme is the client's own: a name of its domain, or at least no scheme of browsers. */
const forbiddenScheme = /^(?:javascript|data|file|blob|about|vbscript|ws|wss|ftp|mailto):$/;

/** Why an address cannot be registered; undefined when it can. */
export function redirectFault(text: string): string | undefined {
  if (text.length > 2000 || !URL.canParse(text)) return 'is not an address';
  const { protocol, hostname, hash, username, password } = new URL(text);
  if (hash !== '' || text.includes('#')) return 'has a fragment';
  if (username !== '' || password !== '') return 'has a user in it';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') {
    return loopback.test(hostname) ? undefined : 'is not https, and not loopback';
  }
  return forbiddenScheme.test(protocol) ? 'has a scheme that is not allowed' : undefined;
}

/** To the letter, but for the port of a loopback address: native clients take a free one (RFC 8252). */
export function isRegistered(text: string, registered: readonly string[]): boolean {
  if (registered.includes(text)) return true;
  if (redirectFault(text) !== undefined) return false;
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

/** What a Content-Security-Policy calls it, so that a form may lead there. */
export function formTarget(text: string): string {
  const { protocol, origin } = new URL(text);
  return origin === 'null' ? protocol : origin;
}
