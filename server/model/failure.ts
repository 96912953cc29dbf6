// Long because it is one catalogue, which clients rely on.
/** All failures: code, status and title. /problems/:code serves their section of docs/errors.md. */
export const failures = {
  // Requests that cannot be read.
  invalidJson: { code: 'invalid_json', status: 400, title: 'The body is not valid JSON' },
  invalidMsgpack: { code: 'invalid_msgpack', status: 400, title: 'The body is not valid msgpack' },
  invalidRequest: { code: 'invalid_request', status: 400, title: 'The request is not valid' },
  unknownMember: {
    code: 'unknown_member',
    status: 400,
    title: 'The request has an unknown member',
  },
  duplicateMember: {
    code: 'duplicate_member',
    status: 400,
    title: 'A member or parameter is given twice',
  },
  invalidRange: { code: 'invalid_range', status: 400, title: 'The range is not an A1 range' },
  invalidReference: {
    code: 'invalid_reference',
    status: 400,
    title: 'The reference does not name a position',
  },
  invalidFile: { code: 'invalid_file', status: 400, title: 'The file cannot be read' },
  bodyTimeout: { code: 'body_timeout', status: 408, title: 'The body did not arrive in time' },
  payloadTooLarge: { code: 'payload_too_large', status: 413, title: 'The body is too large' },
  fileTooLarge: { code: 'file_too_large', status: 413, title: 'The file unpacks to too much' },
  rangeTooLarge: { code: 'range_too_large', status: 400, title: 'The range has too many cells' },
  tooManyOperations: {
    code: 'too_many_operations',
    status: 413,
    title: 'The submission has too many operations',
  },
  invalidOption: { code: 'invalid_option', status: 400, title: 'An option cannot be used' },
  hiBelowLo: { code: 'hi_below_lo', status: 400, title: 'hi lies below lo' },
  dimUnsupported: {
    code: 'dim_unsupported',
    status: 400,
    title: 'The provider has no vectors of this size',
  },
  matchTooLarge: {
    code: 'match_too_large',
    status: 413,
    title: 'The columns are too large to be matched',
  },
  unsupportedMediaType: {
    code: 'unsupported_media_type',
    status: 415,
    title: 'The body has a type this route does not read',
  },
  unsupportedFile: {
    code: 'unsupported_file',
    status: 422,
    title: 'The file uses something that cannot be imported',
  },
  misdirectedRequest: {
    code: 'misdirected_request',
    status: 421,
    title: 'This service does not answer for that host',
  },

  upgradeRequired: {
    code: 'upgrade_required',
    status: 426,
    title: 'This address is a websocket',
  },

  // Credentials, and the rights they give.
  originNotAllowed: {
    code: 'origin_not_allowed',
    status: 403,
    title: 'Pages of this origin may not use the service',
  },
  unauthenticated: { code: 'unauthenticated', status: 401, title: 'A credential is needed' },
  invalidToken: { code: 'invalid_token', status: 401, title: 'The credential is not valid' },
  credentialExpired: {
    code: 'credential_expired',
    status: 401,
    title: 'The credential has expired',
  },
  credentialSuperseded: {
    code: 'credential_superseded',
    status: 401,
    title: 'The credential was replaced by a newer one',
  },
  insufficientScope: {
    code: 'insufficient_scope',
    status: 403,
    title: 'The credential lacks a scope',
  },
  policy: { code: 'policy', status: 403, title: 'The policy of the workbook does not allow this' },
  branchArchived: { code: 'branch_archived', status: 409, title: 'The branch is archived' },
  branchReserved: {
    code: 'branch_reserved',
    status: 403,
    title: 'The branch is written by the service alone',
  },
  selfApproval: {
    code: 'self_approval',
    status: 403,
    title: 'The policy wants the approval of somebody else',
  },
  notApprover: { code: 'not_approver', status: 403, title: 'You may not approve this merge' },
  forbidden: { code: 'forbidden', status: 403, title: 'You may not do this' },
  planCap: { code: 'plan_cap', status: 403, title: 'A limit of the plan is reached' },

  // Failures of things that do not exist.
  notFound: { code: 'not_found', status: 404, title: 'There is nothing here' },
  branchNotFound: { code: 'branch_not_found', status: 404, title: 'The branch does not exist' },
  leafNotFound: {
    code: 'leaf_not_found',
    status: 404,
    title: 'The transparency log has no such entry',
  },
  refNotFound: { code: 'ref_not_found', status: 404, title: 'The reference names nothing' },
  sheetNotFound: { code: 'sheet_not_found', status: 404, title: 'The sheet does not exist' },
  tableNotFound: { code: 'table_not_found', status: 404, title: 'The table does not exist' },
  mergeNotFound: { code: 'merge_not_found', status: 404, title: 'The merge does not exist' },
  linkNotFound: {
    code: 'link_not_found',
    status: 404,
    title: 'The reconciliation link does not exist',
  },
  matchNotFound: { code: 'match_not_found', status: 404, title: 'The match does not exist' },
  rowWriteNotFound: {
    code: 'row_write_not_found',
    status: 404,
    title: 'The write of rows does not exist',
  },
  columnNotFound: {
    code: 'column_not_found',
    status: 404,
    title: 'The table has no such column',
  },
  pairTaken: {
    code: 'pair_taken',
    status: 409,
    title: 'A row would have more pairs than the match allows',
  },
  pairNotFound: { code: 'pair_not_found', status: 404, title: 'The match has no such row' },
  providerNotConfigured: {
    code: 'provider_not_configured',
    status: 422,
    title: 'The service has no such provider',
  },
  keyNeeded: { code: 'key_needed', status: 422, title: 'The table has no key column' },
  badChoice: { code: 'bad_choice', status: 422, title: 'A conflict cannot be settled like this' },
  badName: { code: 'bad_name', status: 422, title: 'The name cannot be used' },
  methodNotAllowed: {
    code: 'method_not_allowed',
    status: 405,
    title: 'The method does not fit this address',
  },
  notAcceptable: {
    code: 'not_acceptable',
    status: 406,
    title: 'No representation matches the Accept header',
  },

  // The state of things is against it.
  workbookArchived: { code: 'workbook_archived', status: 409, title: 'The workbook is archived' },
  workbookActive: {
    code: 'workbook_active',
    status: 409,
    title: 'The workbook is not archived',
  },
  matchNotDone: { code: 'match_not_done', status: 409, title: 'The match has no result' },
  staleVersion: {
    code: 'stale_version',
    status: 409,
    title: 'The settings have another version',
  },
  branchExists: { code: 'branch_exists', status: 409, title: 'There is such a branch already' },
  mergeClosed: { code: 'merge_closed', status: 409, title: 'The merge is applied or aborted' },
  staleRevision: {
    code: 'stale_revision',
    status: 409,
    title: 'The merge has changed since you looked',
  },
  digestMismatch: {
    code: 'digest_mismatch',
    status: 409,
    title: 'What would be written has changed since you looked',
  },
  conflictsOpen: { code: 'conflicts_open', status: 409, title: 'The merge has open conflicts' },
  unitsPending: { code: 'units_pending', status: 409, title: 'Units are undecided' },
  badUnit: { code: 'bad_unit', status: 422, title: 'A unit has no such members' },
  unitDependency: { code: 'unit_dependency', status: 422, title: 'Units depend on one another' },
  nothingToMerge: {
    code: 'nothing_to_merge',
    status: 409,
    title: 'The target holds all of the source',
  },
  cannotMerge: { code: 'cannot_merge', status: 409, title: 'The branches cannot be merged' },
  unrelatedBranches: {
    code: 'unrelated_branches',
    status: 409,
    title: 'The branches have nothing in common',
  },
  tableRefused: {
    code: 'table_refused',
    status: 422,
    title: 'The table does not take what was sent',
  },
  tableInUse: { code: 'table_in_use', status: 409, title: 'The table is used elsewhere' },
  tagTaken: { code: 'tag_taken', status: 409, title: 'There is a commit with this tag already' },
  nameTaken: { code: 'name_taken', status: 409, title: 'The name is in use' },
  confirmMismatch: {
    code: 'confirm_mismatch',
    status: 409,
    title: 'The confirm token does not match',
  },
  baseAhead: {
    code: 'base_ahead',
    status: 409,
    title: 'baseSeq lies after the head of the branch',
  },
  headMoved: { code: 'head_moved', status: 412, title: 'The head is not where you expected it' },
  submissionRejected: {
    code: 'submission_rejected',
    status: 409,
    title: 'An operation was rejected, so nothing was written',
  },
  nothingApplied: {
    code: 'nothing_applied',
    status: 409,
    title: 'Every operation was rejected, so nothing was written',
  },
  idempotencyInProgress: {
    code: 'idempotency_in_progress',
    status: 409,
    title: 'The first request with this Idempotency-Key is still running',
  },
  idempotencyMismatch: {
    code: 'idempotency_mismatch',
    status: 422,
    title: 'This Idempotency-Key was used with another body',
  },
  invalidIdempotencyKey: {
    code: 'invalid_idempotency_key',
    status: 400,
    title: 'The Idempotency-Key cannot be used',
  },

  workbookPurged: { code: 'workbook_purged', status: 410, title: 'The workbook was purged' },

  // Too much, or not now.
  tooManyWebhooks: { code: 'too_many_webhooks', status: 409, title: 'Too many webhooks' },
  tooManyLinks: { code: 'too_many_links', status: 409, title: 'Too many reconciliation links' },
  tooManySockets: { code: 'too_many_sockets', status: 429, title: 'Too many websockets' },
  tooManyMatches: {
    code: 'too_many_matches',
    status: 429,
    title: 'The account has too many unfinished matches',
  },
  rateLimited: { code: 'rate_limited', status: 429, title: 'Too many requests' },
  tooManyConcurrent: {
    code: 'too_many_concurrent',
    status: 429,
    title: 'Too many requests at the same time',
  },
  internal: { code: 'internal', status: 500, title: 'The service made a mistake' },
  evaluationFailed: {
    code: 'evaluation_failed',
    status: 500,
    title: 'The calculation was stopped by a fault',
  },
  logDamaged: {
    code: 'log_damaged',
    status: 503,
    title: 'What is stored of the transparency log is damaged',
  },
  rowWriteLost: {
    code: 'row_write_lost',
    status: 503,
    title: 'The write of rows was given up',
  },
  unavailable: { code: 'unavailable', status: 503, title: 'The service cannot do this right now' },
  notYet: { code: 'not_yet', status: 503, title: 'The branch does not have that operation yet' },
  branchDiverged: {
    code: 'branch_diverged',
    status: 503,
    title: 'The database has lost what was acknowledged on this branch',
  },
  storageFull: { code: 'storage_full', status: 507, title: 'There is no room to write this' },
  storageDamaged: {
    code: 'storage_damaged',
    status: 503,
    title: 'Something that was stored is missing or damaged',
  },

  // The identity service; they travel in its own envelope.
  anonymousNotEnabled: {
    code: 'anonymous_not_enabled',
    status: 403,
    title: 'Anonymous registration is switched off',
  },
  verifiedEmailNotEnabled: {
    code: 'verified_email_not_enabled',
    status: 403,
    title: 'Registration by e-mail is not available',
  },
  unsupportedRegistrationType: {
    code: 'unsupported_registration_type',
    status: 400,
    title: 'This type of registration does not exist',
  },
  unsupportedCredentialType: {
    code: 'unsupported_credential_type',
    status: 400,
    title: 'This type of credential does not exist',
  },
  unsupportedAssertionType: {
    code: 'unsupported_assertion_type',
    status: 400,
    title: 'This type of assertion is not accepted',
  },
  invalidClaimToken: {
    code: 'invalid_claim_token',
    status: 401,
    title: 'The claim token is not valid',
  },
  otpInvalid: { code: 'otp_invalid', status: 401, title: 'The code does not match' },
  accountSuspended: { code: 'account_suspended', status: 403, title: 'The account is suspended' },
  previouslyClaimed: {
    code: 'previously_claimed',
    status: 409,
    title: 'The claim token was used already',
  },
  emailMismatch: {
    code: 'email_mismatch',
    status: 409,
    title: 'The registration is for another e-mail address',
  },
  linkNotAvailable: {
    code: 'link_not_available',
    status: 409,
    title: 'There is no agent identity that could be linked',
  },
  noClaimInProgress: {
    code: 'no_claim_in_progress',
    status: 409,
    title: 'No code was asked for',
  },
  tooManyCredentials: {
    code: 'too_many_credentials',
    status: 409,
    title: 'The account has as many keys as it may have',
  },
  otpExpired: { code: 'otp_expired', status: 410, title: 'The code has expired' },
  otpAttemptsExceeded: {
    code: 'otp_attempts_exceeded',
    status: 410,
    title: 'The code was tried too often',
  },
  claimExpired: { code: 'claim_expired', status: 410, title: 'The registration has expired' },
  otpCooldown: {
    code: 'otp_cooldown',
    status: 429,
    title: 'A code was sent a moment ago',
  },
  mailUnavailable: { code: 'mail_unavailable', status: 503, title: 'No mail can be sent now' },
} as const satisfies Record<string, { code: string; status: number; title: string }>;

export type FailureKey = keyof typeof failures;
export type FailureCode = (typeof failures)[FailureKey]['code'];

/** One place in the request that is wrong. */
export interface FieldError {
  /** JSON pointer into the body, or `?name` for a query parameter, or `/name` of the path. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export interface FailureOptions {
  /** The fault in this very case; one sentence or two. */
  readonly detail?: string;
  /** The next call to make. */
  readonly hint?: string;
  readonly errors?: readonly FieldError[];
  /** More members of the problem (or of `data` in the identity envelope), on the wire as given. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Default hints of failures. */
const usualHints: { readonly [key in FailureKey]?: string } = {
  branchNotFound: 'GET /v1/workbooks/{id}/branches lists those that there are.',
};

/** The failure of a whole request, for a reason its sender can act on. */
export class Failure extends Error {
  readonly key: FailureKey;
  readonly hint: string | undefined;
  readonly errors: readonly FieldError[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(key: FailureKey, options: FailureOptions = {}) {
    super(options.detail ?? failures[key].title, { cause: options.cause });
    this.name = 'Failure';
    this.key = key;
    this.hint = options.hint ?? usualHints[key];
    this.errors = options.errors ?? [];
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
  }

  get code(): FailureCode {
    return failures[this.key].code;
  }

  get status(): number {
    return failures[this.key].status;
  }

  get title(): string {
    return failures[this.key].title;
  }

  get detail(): string {
    return this.message;
  }
}
