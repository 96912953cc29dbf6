import { failures, type Failure } from '../model/failure.ts';
import type { FailureKey } from '../model/failure.ts';
import { scopes } from '../model/scope.ts';
import { asSentence } from '../model/sentence.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Problem } from './problem-schema.ts';
import type { Host, Reply } from './route.ts';

export interface ProblemContext {
  readonly host: Host;
  readonly requestId: string;
  readonly addresses: Addresses;
  /** Parameters of the path of the request, by name: its hints and links name them. */
  readonly named: Readonly<Record<string, string>>;
  /**
   * Path of the protected resource whose metadata a challenge links to; left out for the whole API.
   */
  readonly resource?: string;
}

type ProblemPlace = Pick<ProblemContext, 'requestId' | 'addresses' | 'named'>;

const quotaExceeded = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

const challengeKeys: ReadonlySet<FailureKey> = new Set([
  'unauthenticated',
  'invalidToken',
  'credentialExpired',
  'credentialSuperseded',
]);

/** Returns whether a failure is an error of the service; a request that comes too early is not. */
export function isFault({ status, key }: Failure): boolean {
  return status >= 500 && key !== 'notYet';
}

/**
 * Returns the answer for a failure: a problem document, or the envelope of the identity service.
 */
export function problemReply(failure: Failure, context: ProblemContext): Reply {
  const headers = {
    ...retryHeaders(failure),
    ...challengeHeaders(failure, context),
    ...failure.headers,
  };
  const value = context.host === 'auth' ? envelope(failure, context) : problemOf(failure, context);
  const type = context.host === 'auth' ? 'application/json' : 'application/problem+json';
  return { status: failure.status, headers, value, type, cacheControl: 'no-store' };
}

/**
 * Returns the problem document of a failure, for its request or for a later question about a job.
 */
export function problemOf(failure: Failure, context: ProblemPlace): Problem {
  const { baseUrl, authUrl } = context.addresses;
  const limited = failure.key === 'rateLimited' || failure.key === 'tooManyConcurrent';
  const challenged = challengeKeys.has(failure.key);
  const hint =
    failure.hint ?? (challenged ? credentialHint(failure, authUrl) : shapeHint(failure, baseUrl));
  const errors = failure.errors.map((error) => ({ ...error, message: asSentence(error.message) }));
  return {
    type: limited ? quotaExceeded : `${baseUrl}/problems/${failure.code}`,
    title: failure.title,
    status: failure.status,
    code: failure.code,
    detail: asSentence(failure.detail),
    ...(hint !== undefined && { hint: asSentence(filled(hint, context)) }),
    ...(errors.length > 0 && { errors }),
    ...(challenged && { auth_md: `${authUrl}/auth.md` }),
    ...(failure.key === 'insufficientScope' && { upgrade: `${authUrl}/agent/auth/claim` }),
    ...failure.extra,
    requestId: context.requestId,
  };
}

/**
 * Returns the message of the identity envelope, which includes the hint, because language models
 * read it.
 */
function envelope(failure: Failure, context: ProblemContext): Record<string, unknown> {
  const challenge = challengeKeys.has(failure.key);
  const other = challenge ? credentialHint(failure, context.addresses.authUrl) : '';
  const hint = filled(failure.hint ?? other, context);
  const message = [failure.detail, hint].filter(Boolean).map(asSentence).join(' ');
  return {
    ok: false,
    error: failure.code,
    message,
    ...(Object.keys(failure.extra).length > 0 && { data: failure.extra }),
    request_id: context.requestId,
  };
}

/**
 * Completes a hint: fills `/{id}` and the like with what the request named, or `…`, and turns names
 * of documents into addresses of this service.
 */
function filled(hint: string, { addresses, named }: ProblemPlace): string {
  const whole = hint.replaceAll(/(?<=\/)\{(\w+)\}/g, (_hole, name: string) => {
    const value = Object.hasOwn(named, name) ? named[name] : undefined;
    return value === undefined ? '…' : encodeURIComponent(value);
  });
  const { baseUrl } = addresses;
  return whole.replaceAll(/(?<![\w/.-])docs\/([\w-]+\.md)/g, `${baseUrl}/docs/$1`);
}

const shapeKeys: ReadonlySet<FailureKey> = new Set([
  'invalidRequest',
  'unknownMember',
  'duplicateMember',
  'methodNotAllowed',
  'notFound',
]);

function shapeHint({ key }: Failure, baseUrl: string): string | undefined {
  return shapeKeys.has(key) ? `GET ${baseUrl}/openapi.json has what each route takes.` : undefined;
}

/**
 * Returns the hint to get a credential. Only clients without one are told to register, because
 * registering again would mean to lose the account.
 */
function credentialHint({ key }: Failure, authUrl: string): string {
  return key === 'credentialSuperseded'
    ? 'Use the credential that POST /agent/auth/claim/complete answered; this identity goes on with it. Its person can make another key at the page of agents.'
    : `POST ${authUrl}/agent/auth {"type":"anonymous"} for a key.`;
}

function retryHeaders(failure: Failure): Record<string, string> {
  const seconds = failure.extra['retry_after'];
  if (typeof seconds === 'number') return { 'Retry-After': String(Math.ceil(seconds)) };
  return failure.status === failures.unavailable.status ? { 'Retry-After': '1' } : {};
}

/** RFC 6750: `error` is left out when no credential was sent at all. */
function challengeHeaders(failure: Failure, context: ProblemContext): Record<string, string> {
  const { baseUrl, authUrl } = context.addresses;
  const { resource = '' } = context;
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${resource}"`;
  const link = { Link: `<${authUrl}/auth.md>; rel="service-doc"` };
  if (failure.key === 'insufficientScope') {
    const all = scopes.join(' ');
    return {
      'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${all}", ${metadata}`,
      ...link,
    };
  }
  if (!challengeKeys.has(failure.key)) return {};
  const challenge = `Bearer ${metadata}, scope="read"`;
  if (failure.key === 'unauthenticated') return { 'WWW-Authenticate': challenge, ...link };
  const { reason } = failure.extra;
  const description = typeof reason === 'string' ? reason : failure.code;
  return {
    'WWW-Authenticate': `${challenge}, error="invalid_token", error_description="${description}"`,
    ...link,
  };
}
