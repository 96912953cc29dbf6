import { Failure } from '../../model/failure.ts';

/** Headers by which a browser says where a form was sent from. */
export interface FormHeaders {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Fails unless a page of this site sent the form. Current browsers always send one of these
 * headers.
 */
export function checkSameSite({ fetchSite, origin }: FormHeaders, siteUrl: string): void {
  const isSame =
    fetchSite === undefined ? origin === new URL(siteUrl).origin : fetchSite === 'same-origin';
  if (isSame) return;
  throw new Failure('forbidden', {
    detail: 'This form was not sent from a page of this site.',
    hint: 'Open the page here and send it from there.',
  });
}

/**
 * Returns a path of this site to go on to, or else the page of agents: never another site. The path
 * is read twice, as a browser resolves it: `/.//host` becomes `//host`, which names a host (WHATWG
 * URL, path-relative and scheme-relative references).
 */
export function localPath(text: string | null | undefined, siteUrl: string): string {
  const fallback = '/agents';
  if (!text?.startsWith('/') || /[\\\p{Cc}]/u.test(text)) return fallback;
  const { origin } = new URL(siteUrl);
  const path = pathAt(text, origin);
  return path !== undefined && pathAt(path, origin) === path ? path : fallback;
}

function pathAt(text: string, origin: string): string | undefined {
  if (!URL.canParse(text, origin)) return undefined;
  const target = new URL(text, origin);
  return target.origin === origin ? `${target.pathname}${target.search}` : undefined;
}
