import type { failures } from '../../server/model/failure.ts';
import type { components } from './api.d.ts';

/** Codes of this library, for failures without an answer of the service. */
export type LocalCode = 'unreachable' | 'silent' | 'not_the_service' | 'cut_off' | 'gap' | 'closed';

/** A code of docs/errors.md or of this library. */
export type ProblemCode = (typeof failures)[keyof typeof failures]['code'] | LocalCode;

export type SubmissionResult = components['schemas']['SubmissionResult'];

export interface ProblemMembers {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly hint?: string | undefined;
  readonly errors?: readonly { pointer: string; code: string; message: string }[] | undefined;
  readonly requestId?: string | undefined;
  /** Seconds to wait before another try, from `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  /** Body of the answer, for members that only some codes have. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

const passingStatuses = [429, 502, 503, 504];
const passingCodes = ['unreachable', 'silent', 'cut_off', 'internal'];

/** A failed call. The message ends with the next step, if the service names one. */
export class Problem extends Error {
  /** Set as text, because the package is minified and class names are shortened. */
  override readonly name: string = 'Problem';
  readonly code: ProblemCode;
  /** Status of the answer; 0 if there was none. */
  readonly status: number;
  readonly detail: string;
  readonly hint: string | undefined;
  readonly errors: NonNullable<ProblemMembers['errors']>;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(members: ProblemMembers) {
    const { code, status, detail, hint, cause } = members;
    super(hint === undefined ? detail : `${detail} ${hint}`, { cause });
    // A newer service may have codes that this version does not list; they are kept.
    this.code = code as ProblemCode;
    this.status = status;
    this.detail = detail;
    this.hint = hint;
    this.errors = members.errors ?? [];
    this.requestId = members.requestId;
    this.retryAfterSeconds = members.retryAfterSeconds;
    this.body = members.body ?? {};
  }

  /**
   * True when the same call may succeed a little later. A calculation that a fault has stopped is
   * not retryable: it would stop again.
   */
  get retryable(): boolean {
    const isGeneral = this.status === 500 && this.code === 'not_the_service';
    return isGeneral || passingStatuses.includes(this.status) || passingCodes.includes(this.code);
  }

  /**
   * Returns the members of the service's answer, for logs. The request, which has the key, is left
   * out.
   */
  toJSON(): object {
    const { code, status, detail, hint, errors, requestId } = this;
    const known = { code, status, detail, hint, requestId };
    return { ...this.body, ...known, ...(errors.length > 0 && { errors }) };
  }
}

/** A submission of which an operation was rejected; `results` has the outcome of each. */
export class Rejected extends Problem {
  override readonly name = 'Rejected';
  readonly results: SubmissionResult['results'];

  /** `answer` is the answer with the rejection, or the failure when nothing was written. */
  constructor(
    results: SubmissionResult['results'],
    answer?: Problem | Pick<SubmissionResult, 'requestId'>,
  ) {
    const error = results.find(({ status }) => status === 'rejected')?.error;
    super({
      code: error?.code ?? 'nothing_applied',
      status: 409,
      detail: error?.message ?? 'The operations were rejected.',
      hint: error?.hint,
      requestId: answer?.requestId,
      body: { ...(answer instanceof Problem && answer.body), results },
    });
    this.results = results;
  }
}

/** An answer that broke off. */
export class CutOff extends Problem {
  override readonly name = 'CutOff';

  constructor(detail: string, cause?: unknown) {
    super({ code: 'cut_off', status: 0, detail, hint: 'Read it again.', cause });
  }
}

/**
 * Operations that the service does not send: the session's state is older than `toSeq`, or no
 * longer valid.
 */
export class Gap extends Problem {
  override readonly name = 'Gap';
  readonly reason: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Path of the state to load when operations do not lead there. */
  readonly statePath: string;
  /** Path of the operations that lead to `toSeq`; undefined if there are none. */
  readonly opsPath: string | undefined;

  constructor(frame: GapFrame) {
    super({
      code: 'gap',
      status: 0,
      detail: `The operations ${frame.fromSeq} to ${frame.toSeq} are not sent (${frame.reason}).`,
      hint: 'Load the state again.',
    });
    this.reason = frame.reason;
    this.fromSeq = frame.fromSeq;
    this.toSeq = frame.toSeq;
    this.statePath = frame.recover.state;
    this.opsPath = frame.recover.ops ?? undefined;
  }
}

export interface GapFrame {
  readonly reason: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly recover: { readonly state: string; readonly ops: string | null };
}

/** Reads the failure from an answer. */
export async function problemOf(response: Response, address: string): Promise<Problem> {
  const text = await response.text();
  const body = objectIn(text);
  const retryAfter = Number(response.headers.get('retry-after') ?? 'none');
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  const { status } = response;
  const code = body?.['code'] ?? body?.['error'];
  if (body === undefined || typeof code !== 'string') {
    return strangeAnswer(response, address, retryAfterSeconds);
  }
  return new Problem({ code, status, retryAfterSeconds, ...membersOf(body), body });
}

/** Reads the members that problem documents and identity failures name differently. */
function membersOf(
  body: Readonly<Record<string, unknown>>,
): Pick<ProblemMembers, 'detail' | 'hint' | 'errors' | 'requestId'> {
  const data = body['data'] as { hint?: string } | undefined;
  return {
    detail: textOf(body['detail'] ?? body['message'] ?? body['error']),
    hint: (body['hint'] as string | undefined) ?? data?.hint,
    errors: body['errors'] as ProblemMembers['errors'],
    requestId: (body['requestId'] ?? body['request_id']) as string | undefined,
  };
}

/**
 * Returns the failure for an answer that is not the service's: that of a proxy, a login page or
 * another program.
 */
export function strangeAnswer(
  { status, headers }: Response,
  address: string,
  retryAfterSeconds?: number,
): Problem {
  const type = headers.get('content-type') ?? 'no type';
  return new Problem({
    code: 'not_the_service',
    status,
    detail: `${originOf(address)} answered ${status} with ${type}, as no Quire service does.`,
    hint: 'Check the address, and whether a proxy stands in between.',
    retryAfterSeconds,
  });
}

/** Codes of a connection that was taken and stayed silent; UND_ERR_… are those of Node's `fetch`. */
const silences: ReadonlySet<string | undefined> = new Set([
  'SILENT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

export function unreachable(address: string, cause: unknown): Problem {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const reason = (inner as { code?: string; message?: string } | undefined) ?? {};
  const why = reason.code ?? reason.message ?? 'no reason given';
  const origin = originOf(address);
  if (silences.has(reason.code)) return silent(origin, cause);
  const isUntrusted = /CERT|ISSUER|SIGNATURE|TRUSTED/u.test(reason.code ?? '');
  const isPlain = /^(?:ERR_SSL_|EPROTO)/u.test(reason.code ?? '');
  const detail = isUntrusted
    ? `The certificate of ${origin} is not trusted (${why}).`
    : `Nothing answers at ${origin} (${why}).`;
  const trusting =
    'Check the address; if the authority is your own, have NODE_EXTRA_CA_CERTS name its file.';
  const plainly = `No HTTPS is spoken there: perhaps ${origin.replace('https:', 'http:')} is meant.`;
  const usual = 'Check the address, and that the service runs there.';
  const hint = isUntrusted ? trusting : isPlain ? plainly : usual;
  return new Problem({ code: 'unreachable', status: 0, detail, hint, cause });
}

function silent(origin: string, cause: unknown): Problem {
  const detail = `${origin} takes connections and says nothing.`;
  const hint = 'Check the address, and that the service there is alive.';
  return new Problem({ code: 'silent', status: 0, detail, hint, cause });
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Returns the submission's outcome when the service rejected all of it; throws any other error on.
 */
export function refusedResult(error: unknown): SubmissionResult {
  const { code, body } = error instanceof Problem ? error : { code: '', body: {} };
  if (code !== 'nothing_applied' || !('results' in body)) throw error;
  const { branch = '', head = 0, results } = body as Partial<SubmissionResult>;
  return {
    branch,
    status: 'rejected',
    firstSeq: null,
    lastSeq: null,
    head,
    results: results ?? [],
  };
}
