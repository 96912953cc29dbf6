/** Returns an ASCII text as base64url without padding (RFC 4648), as subprotocols carry it. */
export function base64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
