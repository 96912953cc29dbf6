import { Failure, failures } from '../model/failure.ts';
import type { FailureKey } from '../model/failure.ts';
import { scopes } from '../model/scope.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Host, Reply } from './route.ts';

export interface ProblemContext {
  readonly host: Host;
  readonly requestId: string;
  readonly addresses: Addresses;
}

const quotaExceeded = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

const challengeKeys: ReadonlySet<FailureKey> = new Set([
  'unauthenticated',
  'invalidToken',
  'credentialExpired',
  'credentialSuperseded',
]);

/** What a connection says that was refused or broke off; PostgreSQL says 57P… when it goes. */
const awayCodes =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|CONNECT_TIMEOUT|CONNECTION_[A-Z]+|57P0[123]|08\w{3})$/;

/**
 * Any error as a failure of the catalogue. Where something we are connected to has gone, it comes
 * back; what else is not a failure is our own mistake.
 */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Error && 'code' in error && awayCodes.test(String(error.code))) {
    return new Failure('unavailable', {
      detail: 'Something that Quire needs for this does not answer right now.',
      hint: 'Try again in a moment.',
      cause: error,
    });
  }
  return new Failure('internal', {
    hint: 'Try again; if it stays, report the requestId.',
    cause: error,
  });
}

/** The failure as the host in question answers: a problem document, or the identity envelope. */
export function problemReply(failure: Failure, context: ProblemContext): Reply {
  const headers = {
    ...retryHeaders(failure),
    ...challengeHeaders(failure, context),
    ...failure.headers,
  };
  const value = context.host === 'auth' ? envelope(failure, context) : problem(failure, context);
  const type = context.host === 'auth' ? 'application/json' : 'application/problem+json';
  return { status: failure.status, headers, value, type, cacheControl: 'no-store' };
}

function problem(failure: Failure, context: ProblemContext): Record<string, unknown> {
  const { baseUrl, authUrl } = context.addresses;
  const limited = failure.key === 'rateLimited' || failure.key === 'tooManyConcurrent';
  const challenged = challengeKeys.has(failure.key);
  const hint = challenged ? registerHint(authUrl) : (failure.hint ?? shapeHint(failure, baseUrl));
  return {
    type: limited ? quotaExceeded : `${baseUrl}/problems/${failure.code}`,
    title: failure.title,
    status: failure.status,
    code: failure.code,
    detail: failure.detail,
    ...(hint !== undefined && { hint }),
    ...(failure.errors.length > 0 && { errors: failure.errors }),
    ...(challenged && { auth_md: `${authUrl}/auth.md` }),
    ...(failure.key === 'insufficientScope' && { upgrade: `${authUrl}/agent/auth/claim` }),
    ...failure.extra,
    requestId: context.requestId,
  };
}

/** The message always names the next thing to do, because a language model reads it. */
function envelope(failure: Failure, context: ProblemContext): Record<string, unknown> {
  const hint = challengeKeys.has(failure.key)
    ? `${registerHint(context.addresses.authUrl)}.`
    : failure.hint;
  const message = hint === undefined ? failure.detail : `${failure.detail} ${hint}`;
  return {
    ok: false,
    error: failure.code,
    message,
    ...(Object.keys(failure.extra).length > 0 && { data: failure.extra }),
    request_id: context.requestId,
  };
}

const shapeKeys: ReadonlySet<FailureKey> = new Set([
  'invalidRequest',
  'unknownMember',
  'duplicateMember',
  'methodNotAllowed',
]);

function shapeHint({ key }: Failure, baseUrl: string): string | undefined {
  return shapeKeys.has(key) ? `GET ${baseUrl}/openapi.json has what each route takes.` : undefined;
}

function registerHint(authUrl: string): string {
  return `POST ${authUrl}/agent/auth {"type":"anonymous"} for a key`;
}

function retryHeaders(failure: Failure): Record<string, string> {
  const seconds = failure.extra['retry_after'];
  if (typeof seconds === 'number') return { 'Retry-After': String(Math.ceil(seconds)) };
  return failure.status === failures.unavailable.status ? { 'Retry-After': '1' } : {};
}

/** RFC 6750: `error` is left out when no credential was sent at all. */
function challengeHeaders(failure: Failure, context: ProblemContext): Record<string, string> {
  const { baseUrl, authUrl } = context.addresses;
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`;
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
