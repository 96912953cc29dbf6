import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { checkObjectKey, checkObjectPrefix } from './object-key.ts';
import type { ObjectHead, Objects, PutOptions } from './objects.ts';

const attemptsMax = 5;
const conditionFailed = 412;
const conditionConflict = 409;
const deleteBatchSize = 1000;

interface Location {
  readonly bucket: string;
  /** Empty, or ends in a slash. */
  readonly prefix: string;
  readonly client: S3ClientConfig;
}

/** `s3://bucket/prefix?endpoint=…&region=…&forcePathStyle=true`; credentials as the SDK finds them. */
export function parseS3Url(url: URL): Location {
  const known = ['endpoint', 'region', 'forcePathStyle'];
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`OBJECT_STORE_URL has "${unknown}", but knows only ${known.join(', ')}`);
  }
  if (url.hostname === '') throw new Error('OBJECT_STORE_URL must name a bucket: s3://bucket/…');
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  const endpoint = url.searchParams.get('endpoint');
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    client: {
      region: url.searchParams.get('region') ?? 'us-east-1',
      forcePathStyle: url.searchParams.get('forcePathStyle') === 'true',
      ...(endpoint !== null && { endpoint }),
    },
  };
}

export function openS3Objects(url: URL): Objects {
  const location = parseS3Url(url);
  const client = new S3Client({
    ...location.client,
    maxAttempts: attemptsMax,
    // The default puts a checksum trailer into the body, which stores other than AWS keep as data.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return new S3Objects(client, location);
}

class S3Objects implements Objects {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(client: S3Client, { bucket, prefix }: Location) {
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<'written' | 'exists'> {
    const command = new PutObjectCommand({
      ...this.#address(key),
      Body: bytes,
      ContentLength: bytes.byteLength,
      ...(options?.ifNoneMatch !== undefined && { IfNoneMatch: options.ifNoneMatch }),
    });
    try {
      await this.#client.send(command);
      return 'written';
    } catch (error) {
      if (hasStatus(error, conditionFailed)) return 'exists';
      // 409 means that another conditional put was under way; it has finished or failed by now.
      if (!hasStatus(error, conditionConflict) || options === undefined) throw error;
      if ((await this.head(key)) !== undefined) return 'exists';
      throw error;
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const answer = await unlessAbsent(this.#client.send(new GetObjectCommand(this.#address(key))));
    return answer?.Body?.transformToByteArray();
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const answer = await unlessAbsent(this.#client.send(new HeadObjectCommand(this.#address(key))));
    return answer === undefined ? undefined : { byteCount: answer.ContentLength ?? 0 };
  }

  async *list(prefix: string): AsyncGenerator<string> {
    checkObjectPrefix(prefix);
    let after: string | undefined;
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: this.#prefix + prefix,
          ContinuationToken: after,
        }),
      );
      for (const { Key: key } of page.Contents ?? []) {
        if (key !== undefined) yield key.slice(this.#prefix.length);
      }
      after = page.NextContinuationToken;
    } while (after !== undefined);
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#address(key)));
  }

  async deletePrefix(prefix: string): Promise<number> {
    let batch: string[] = [];
    let count = 0;
    for await (const key of this.list(prefix)) {
      batch.push(key);
      if (batch.length < deleteBatchSize) continue;
      count += await this.#deleteBatch(batch);
      batch = [];
    }
    return count + (await this.#deleteBatch(batch));
  }

  async check(): Promise<void> {
    await this.#client.send(new ListObjectsV2Command({ Bucket: this.#bucket, MaxKeys: 1 }));
  }

  close(): void {
    this.#client.destroy();
  }

  async #deleteBatch(keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return 0;
    const answer = await this.#client.send(
      new DeleteObjectsCommand({
        Bucket: this.#bucket,
        Delete: { Objects: keys.map((key) => ({ Key: this.#prefix + key })), Quiet: true },
      }),
    );
    // The request succeeds even if single keys do not.
    const failed = answer.Errors?.[0];
    if (failed !== undefined) {
      throw new Error(
        `could not delete ${failed.Key ?? 'an object'}: ${failed.Message ?? 'no reason given'}`,
      );
    }
    return keys.length;
  }

  #address(key: string): { Bucket: string; Key: string } {
    checkObjectKey(key);
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }
}

async function unlessAbsent<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;
}
