import type { failures } from '../../server/model/failure.ts';
import type { components } from './api.d.ts';

/** Codes that the library makes up itself, because no answer of the service has one. */
export type LocalCode = 'unreachable' | 'not_the_service' | 'cut_off' | 'gap' | 'closed';

/** Every code of docs/errors.md, and those of this library. */
export type ProblemCode = (typeof failures)[keyof typeof failures]['code'] | LocalCode;

export type SubmissionResult = components['schemas']['SubmissionResult'];

export interface ProblemMembers {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly hint?: string | undefined;
  readonly errors?: readonly { pointer: string; code: string; message: string }[] | undefined;
  readonly requestId?: string | undefined;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  /** The whole answer, for members that only some codes have. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

const passingStatuses = [429, 502, 503, 504];
const passingCodes = ['unreachable', 'cut_off', 'internal'];

/** Why a call failed. The message ends with what to do next, where the service knows it. */
export class Problem extends Error {
  /** Written out, because the names of classes are shortened in the package. */
  override readonly name: string = 'Problem';
  readonly code: ProblemCode;
  /** That of the answer, or 0 where none came. */
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
    // Newer services have newer codes: they are handed on as they are.
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
   * True when the same call may well succeed a little later. A calculation stopped by a
   * fault is stopped by it again.
   */
  get retryable(): boolean {
    const isGeneral = this.status === 500 && this.code === 'not_the_service';
    return isGeneral || passingStatuses.includes(this.status) || passingCodes.includes(this.code);
  }

  /** For logs and for `--json`: what the service answered, and never the call, which has the key. */
  toJSON(): object {
    const { code, status, detail, hint, errors, requestId } = this;
    const known = { code, status, detail, hint, requestId };
    return { ...this.body, ...known, ...(errors.length > 0 && { errors }) };
  }
}

/** An operation that had to count was rejected: `results` says of each what became of it. */
export class Rejected extends Problem {
  override readonly name = 'Rejected';
  readonly results: SubmissionResult['results'];

  /** `answer` told of it: a failure where nothing at all was written. */
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

/** An answer that ended before its end. */
export class CutOff extends Problem {
  override readonly name = 'CutOff';

  constructor(detail: string, cause?: unknown) {
    super({ code: 'cut_off', status: 0, detail, hint: 'Read it again.', cause });
  }
}

/** Operations that a session will not be sent: what it holds is older than `toSeq` or void. */
export class Gap extends Problem {
  override readonly name = 'Gap';
  readonly reason: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Path of the state to load, where operations do not lead there. */
  readonly statePath: string;
  /** Path of the operations that lead there, if any do. */
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

/** The failure that an answer tells of. */
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

/** Problem documents and failures of the identity service name things differently. */
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

/** Something answers that is not the service: a proxy, a login page, another program. */
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

export function unreachable(address: string, cause: unknown): Problem {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const reason = (inner as { code?: string; message?: string } | undefined) ?? {};
  const why = reason.code ?? reason.message ?? 'no reason given';
  const origin = originOf(address);
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

/** An answer of which nothing counted is an answer, too. */
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
