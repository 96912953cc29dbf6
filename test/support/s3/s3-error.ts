/** Refusal of S3: a status and an XML body with a code. */
export class S3Error extends Error {
  readonly status: number;
  readonly code: string;
  /** More elements of the body, such as the region that would have been right. */
  readonly extra: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    extra: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.extra = extra;
  }
}
