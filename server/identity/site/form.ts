import { Failure } from '../../model/failure.ts';

/** What a browser says of where a form was sent from. */
export interface FormHeaders {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
}

/** Fails unless the form was sent from a page of this site. What says nothing is no browser of today. */
export function checkSameSite({ fetchSite, origin }: FormHeaders, siteUrl: string): void {
  const isSame =
    fetchSite === undefined ? origin === new URL(siteUrl).origin : fetchSite === 'same-origin';
  if (isSame) return;
  throw new Failure('forbidden', {
    detail: 'This form was not sent from a page of this site.',
    hint: 'Open the page here and send it from there.',
  });
}

/** A path of this site to go on to, or else the page of agents: never another site. */
export function localPath(text: string | null | undefined, siteUrl: string): string {
  const fallback = '/agents';
  if (!text?.startsWith('/') || /[\\\p{Cc}]/u.test(text) || text.startsWith('//')) return fallback;
  const { origin } = new URL(siteUrl);
  if (!URL.canParse(text, origin)) return fallback;
  const target = new URL(text, origin);
  return target.origin === origin ? `${target.pathname}${target.search}` : fallback;
}
