import { Readable } from 'node:stream';
import { S3ServiceException } from '@aws-sdk/client-s3';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { Failure } from '../model/failure.ts';
import { DamagedObject } from './damaged-object.ts';
import { OutOfPatience } from './patience.ts';
import type { Attempt } from './patience.ts';

export const conditionFailed = 412;
const notFound = 404;
const notImplemented = 501;
const tooManyRequests = 429;
const requestTimeout = 408;

/** Codes that another attempt may avoid, with any status: of load, clock, or a damaged request. */
const transientCodes: ReadonlySet<string> = new Set([
  'BadDigest',
  'ConditionalRequestConflict',
  'IncompleteBody',
  'InternalError',
  'OperationAborted',
  'RequestTimeTooSkewed',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'XAmzContentSHA256Mismatch',
]);

/**
 * Returns whether another attempt may help; an error that is no answer of S3 is one of the network.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof DamagedObject || isWithoutCredentials(error)) return false;
  if (!(error instanceof S3ServiceException)) return true;
  if (transientCodes.has(error.name) || isClockCorrected(error)) return true;
  const status = error.$metadata.httpStatusCode ?? 0;
  const isServerFault = status >= 500 && status !== notImplemented;
  return isServerFault || status === tooManyRequests || status === requestTimeout;
}

/** The request was answered, and had no effect. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false;
  const status = error.$metadata.httpStatusCode ?? 0;
  return status >= 400 && status < 500;
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;
}

/** Returns undefined if there is no such object; a missing bucket is an error. */
export async function unlessAbsent<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result;
  } catch (error) {
    const isAbsent = hasStatus(error, notFound);
    if (isAbsent && error instanceof Error && error.name !== 'NoSuchBucket') return undefined;
    throw error;
  }
}

export function unavailable(step: string, cause: unknown): Failure {
  const detail =
    cause instanceof OutOfPatience
      ? 'The object store does not answer.'
      : 'The object store refuses what is asked of it.';
  return new Failure('unavailable', {
    detail,
    hint: 'Send the same request again; reads and writes of recent data do not need that store.',
    headers: { 'Retry-After': '5' },
    cause: new Error(`could not ${step}`, { cause }),
  });
}

export async function readBody(
  { Body: body, ContentLength: byteCount }: GetObjectCommandOutput,
  attempt: Attempt,
): Promise<Uint8Array> {
  if (!(body instanceof Readable) || byteCount === undefined) {
    throw new Error('the answer has no body of a known length');
  }
  attempt.expectBytes(byteCount);
  const bytes = Buffer.allocUnsafeSlow(byteCount);
  let at = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) at += chunk.copy(bytes, at);
  if (at !== byteCount) throw new Error(`${at} bytes came instead of ${byteCount}`);
  return bytes;
}

function isWithoutCredentials(error: unknown): boolean {
  return error instanceof Error && error.name === 'CredentialsProviderError';
}

/** The SDK has learnt how far our clock is off, and signs the next request accordingly. */
function isClockCorrected({ $metadata }: S3ServiceException): boolean {
  return 'clockSkewCorrected' in $metadata && $metadata.clockSkewCorrected === true;
}
