/** Returns an ASCII text as subprotocols carry it: base64url without padding (RFC 4648). */
export function base64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
