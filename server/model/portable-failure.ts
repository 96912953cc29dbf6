import { Failure, type FailureKey, type FailureOptions } from './failure.ts';

/** A failure on its way from one thread to another. */
export interface PortableFailure {
  readonly key: FailureKey;
  readonly options: FailureOptions;
}

export function packFailure(failure: Failure): PortableFailure {
  const { key, detail, hint, errors, extra, headers } = failure;
  return { key, options: { detail, ...(hint !== undefined && { hint }), errors, extra, headers } };
}

export function unpackFailure({ key, options }: PortableFailure): Failure {
  return new Failure(key, options);
}
