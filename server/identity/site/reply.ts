import { Failure } from '../../model/failure.ts';
import { html, page, pageHeaders, pageType } from './page.ts';
import type { Markup, PageFrame } from './page.ts';

/** A page as the edge sends it. */
export interface PageReply {
  readonly status: number;
  readonly bytes: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly cacheControl: string;
}

export function pageReply(frame: PageFrame, body: Markup, status = 200): PageReply {
  const bytes = page(frame, body);
  return { status, bytes, type: pageType, headers: pageHeaders, cacheControl: 'no-store' };
}

/** Answers a form with a redirect, so that a reload does not send the form again. */
export function seeOther(path: string, cookies: readonly string[] = []): PageReply {
  const { bytes, ...rest } = pageReply(
    { title: 'Go on' },
    html`<p><a href="${path}">Go on</a></p>`,
  );
  return { ...rest, bytes, status: 303, headers: { ...rest.headers, Location: path }, cookies };
}

/** Returns a page for people that explains a failure; throws any other error on. */
export function refusalPage(error: unknown): PageReply {
  if (!(error instanceof Failure)) throw error;
  const body = html`<p role="alert">${error.detail}</p>
    <p>${error.hint?.includes('POST') === true ? undefined : error.hint}</p>
    <p><a href="/agents">Back</a></p>`;
  const reply = pageReply({ title: error.title }, body, error.status);
  return { ...reply, headers: { ...reply.headers, ...retryAfter(error), ...error.headers } };
}

function retryAfter({ extra }: Failure): Record<string, string> {
  const seconds = extra['retry_after'];
  return typeof seconds === 'number' ? { 'Retry-After': String(seconds) } : {};
}
