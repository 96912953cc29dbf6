import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { keyBytesMax } from './object-key.ts';

export interface S3Location {
  readonly bucket: string;
  /** Empty, or ends in a slash. */
  readonly prefix: string;
  readonly client: S3ClientConfig;
}

/** Bytes that S3 allows for prefix and key together. */
const storedKeyBytesMax = 1024;

/** `s3://bucket/prefix?endpoint=…&region=…&forcePathStyle=true`; credentials as the SDK finds them. */
export function parseS3Url(url: URL): S3Location {
  const known = ['endpoint', 'region', 'forcePathStyle'];
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`OBJECT_STORE_URL has "${unknown}", but knows only ${known.join(', ')}`);
  }
  if (url.hostname === '') throw new Error('OBJECT_STORE_URL must name a bucket: s3://bucket/…');
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  const prefix = path === '' ? '' : `${path}/`;
  const prefixBytesMax = storedKeyBytesMax - keyBytesMax;
  if (prefix.length > prefixBytesMax) {
    throw new Error(`OBJECT_STORE_URL has a prefix of more than ${prefixBytesMax - 1} characters`);
  }
  return { bucket: url.hostname, prefix, client: clientOf(url.searchParams) };
}

function clientOf(given: URLSearchParams): S3ClientConfig {
  const endpoint = given.get('endpoint');
  if (endpoint !== null && !(/^https?:\/\//.test(endpoint) && URL.canParse(endpoint))) {
    throw new Error('OBJECT_STORE_URL has an endpoint that is no http:// or https:// address');
  }
  const pathStyle = given.get('forcePathStyle') ?? 'false';
  if (pathStyle !== 'true' && pathStyle !== 'false') {
    throw new Error('OBJECT_STORE_URL has a forcePathStyle that is not true or false');
  }
  return {
    region: given.get('region') ?? 'us-east-1',
    forcePathStyle: pathStyle === 'true',
    ...(endpoint !== null && { endpoint }),
  };
}
