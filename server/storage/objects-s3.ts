import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type {
  GetObjectCommandOutput,
  HeadObjectCommandOutput,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { pause, type Environment } from '../model/environment.ts';
import { DamagedObject } from './damaged-object.ts';
import { checkObjectKey, checkObjectPrefix, checkObjectRange, isObjectKey } from './object-key.ts';
import { makeAgents } from './objects-s3-agents.ts';
import {
  conditionFailed,
  hasStatus,
  isRefusal,
  isTransient,
  readBody,
  unavailable,
  unlessAbsent,
} from './objects-s3-answers.ts';
import { Judge, checkRange, nonceOf, putCommand } from './objects-s3-content.ts';
import type { Address } from './objects-s3-content.ts';
import { batches, firstPage, readPage } from './objects-s3-list.ts';
import type { Page, PageStart } from './objects-s3-list.ts';
import { parseS3Url } from './objects-s3-url.ts';
import type { S3Location } from './objects-s3-url.ts';
import type { ObjectHead, Objects, PutOptions } from './objects.ts';
import { Patience } from './patience.ts';
import type { Attempt, Call, PatienceLimits } from './patience.ts';

export const s3Patience: PatienceLimits = {
  callMilliseconds: 10_000,
  attemptMilliseconds: 2000,
  bytesPerSecondLeast: 2 ** 20,
  pauseMilliseconds: 100,
  pauseMillisecondsMost: 2000,
  callsMost: 64,
};

/** `/ready` asks every second or so and does not wait longer than 2 s. */
const checkMilliseconds = 1800;
const passesMost = 8;
const rangeNotSatisfiable = 416;
const nonceBytes = 16;

export function openS3Objects(
  url: URL,
  environment: Environment,
  limits: PatienceLimits = s3Patience,
): Objects {
  const location = parseS3Url(url);
  const client = new S3Client({
    ...location.client,
    // Attempts, their time and their pauses are ours: see Patience.
    maxAttempts: 1,
    requestHandler: makeAgents(limits.callsMost),
    // The header would make each large put open a connection.
    expectContinueHeader: false,
    // The SDK's are CRC-32 and, in streams, trailers that stores other than AWS keep as data.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return new S3Objects(client, { location, environment, limits });
}

interface Opened {
  readonly location: S3Location;
  readonly environment: Environment;
  readonly limits: PatienceLimits;
}

class S3Objects implements Objects {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #environment: Environment;
  readonly #limits: PatienceLimits;
  readonly #patience: Patience;
  /** Set once and for all: an absent object can be told from an absent bucket. */
  #isBucketKnown = false;

  constructor(client: S3Client, { location, environment, limits }: Opened) {
    this.#client = client;
    this.#bucket = location.bucket;
    this.#prefix = location.prefix;
    this.#environment = environment;
    this.#limits = limits;
    this.#patience = new Patience(environment, limits);
  }

  async put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<'written' | 'exists'> {
    const address = this.#address(key);
    const nonce = Buffer.from(this.#environment.random(nonceBytes)).toString('hex');
    const command = putCommand(address, { bytes, nonce, options });
    const byteCount = bytes.byteLength;
    const step = `put ${key}`;
    if (options?.ifNoneMatch !== undefined) {
      return this.#run(step, { byteCount, attempt: this.#putIfAbsent(command, address, nonce) });
    }
    const attempt = async ({ signal }: Attempt): Promise<'written'> => {
      await this.#client.send(command, { abortSignal: signal });
      return 'written';
    };
    return this.#run(step, { byteCount, attempt });
  }

  /**
   * Puts an object if none exists. An attempt without an answer may have written it; the nonce in
   * the object shows whether it is ours, so exactly one put returns `written`.
   */
  #putIfAbsent(
    command: PutObjectCommand,
    address: Address,
    nonce: string,
  ): (attempt: Attempt) => Promise<'written' | 'exists'> {
    let isOutcomeUnknown = false;
    return async ({ signal }) => {
      const wasUnknown = isOutcomeUnknown;
      const found = wasUnknown ? await this.#headOf(address, signal) : undefined;
      if (found !== undefined) {
        return nonceOf(found) === nonce ? 'written' : 'exists';
      }
      isOutcomeUnknown = true;
      try {
        await this.#client.send(command, { abortSignal: signal });
        return 'written';
      } catch (error) {
        if (isRefusal(error) && !signal.aborted) isOutcomeUnknown = wasUnknown;
        if (!hasStatus(error, conditionFailed)) throw error;
        if (!wasUnknown) return 'exists';
        throw new Error('an earlier attempt may have been written by now', { cause: error });
      }
    };
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const command = new GetObjectCommand(this.#address(key));
    const judge = new Judge(key);
    return this.#run(`get ${key}`, {
      attempt: async (attempt) => {
        const answer = await this.#find(command, attempt);
        return answer && judge.accept(answer, await readBody(answer, attempt));
      },
    });
  }

  async getRange(key: string, start: number, length: number): Promise<Uint8Array | undefined> {
    checkObjectRange(start, length);
    if (length === 0) return (await this.head(key)) && new Uint8Array();
    const range = `bytes=${start}-${start + length - 1}`;
    const command = new GetObjectCommand({ ...this.#address(key), Range: range });
    const judge = new Judge(key);
    return this.#run(`get ${length} bytes of ${key} from ${start}`, {
      attempt: async (attempt) => {
        try {
          const answer = await this.#find(command, attempt);
          if (answer === undefined) return undefined;
          const bytes = await readBody(answer, attempt);
          if (answer.ContentRange !== undefined)
            return checkRange(answer, bytes, { start, length });
          // Some stores know no ranges and answer with everything.
          return judge.accept(answer, bytes).subarray(start, start + length);
        } catch (error) {
          if (hasStatus(error, rangeNotSatisfiable)) return new Uint8Array();
          throw error;
        }
      },
    });
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const address = this.#address(key);
    const attempt = ({ signal }: Attempt): Promise<HeadObjectCommandOutput | undefined> =>
      this.#headOf(address, signal);
    const answer = await this.#run(`look for ${key}`, { attempt });
    return answer && { byteCount: answer.ContentLength ?? 0 };
  }

  async *list(prefix: string): AsyncGenerator<string> {
    checkObjectPrefix(prefix);
    let start: PageStart | undefined = firstPage;
    while (start !== undefined) {
      const { keys, next }: Page = await this.#page(prefix, start);
      for (const key of keys) {
        const own = key.slice(this.#prefix.length);
        // Consoles leave markers of folders, which are no objects of ours.
        if (isObjectKey(own)) yield own;
      }
      start = next;
    }
  }

  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#address(key));
    await this.#run(`delete ${key}`, {
      attempt: ({ signal }) => this.#client.send(command, { abortSignal: signal }),
    });
  }

  /**
   * Deletes all keys with a prefix. Listings may be stale, so it continues until two are empty in a
   * row, and counts repeated keys only if they exist.
   */
  async deletePrefix(prefix: string): Promise<number> {
    let count = 0;
    let emptyCount = 0;
    for (let pass = 0; pass < passesMost; pass++) {
      const { listedCount, deletedCount } = await this.#deleteListed(prefix, pass > 0);
      count += deletedCount;
      emptyCount = listedCount === 0 ? emptyCount + 1 : 0;
      if (emptyCount === 2) return count;
      if (pass > 0 && emptyCount === 0) await this.#pause(pass);
    }
    throw unavailable(`delete what begins with ${prefix}`, new Error('more keys come every time'));
  }

  async check(): Promise<void> {
    await this.#run('list anything', {
      callMilliseconds: checkMilliseconds,
      attempt: ({ signal }) => this.#listAny(signal),
    });
  }

  close(): void {
    this.#patience.close();
    this.#client.destroy();
  }

  async #page(prefix: string, start: PageStart): Promise<Page> {
    const whole = this.#prefix + prefix;
    const command = new ListObjectsV2Command({
      Bucket: this.#bucket,
      Prefix: whole,
      ...(start.token !== undefined
        ? { ContinuationToken: start.token }
        : { StartAfter: start.after }),
    });
    return this.#run(`list ${prefix}`, {
      attempt: async ({ signal }) => {
        const answer = await this.#client.send(command, { abortSignal: signal });
        return readPage(answer, { prefix: whole, start });
      },
    });
  }

  async #deleteListed(
    prefix: string,
    isAgain: boolean,
  ): Promise<{ listedCount: number; deletedCount: number }> {
    let listedCount = 0;
    let deletedCount = 0;
    for await (const keys of batches(this.list(prefix))) {
      const there = isAgain ? await Promise.all(keys.map((key) => this.head(key))) : keys;
      listedCount += keys.length;
      deletedCount += there.filter((one) => one !== undefined).length;
      await this.#deleteBatch(keys);
    }
    return { listedCount, deletedCount };
  }

  /** The request succeeds even if single keys do not; those are sent again. */
  async #deleteBatch(keys: readonly string[]): Promise<void> {
    let left = keys.map((key) => this.#prefix + key);
    await this.#run(`delete ${keys.length} objects`, {
      attempt: async ({ signal }) => {
        const command = new DeleteObjectsCommand({
          Bucket: this.#bucket,
          Delete: { Objects: left.map((key) => ({ Key: key })), Quiet: true },
        });
        const { Errors: errors = [] } = await this.#client.send(command, { abortSignal: signal });
        const [first] = errors;
        if (first === undefined) return;
        left = errors.flatMap(({ Key: key }) => key ?? []);
        throw new Error(
          `${first.Key ?? 'an object'} was not deleted: ${first.Code ?? 'no reason'}`,
        );
      },
    });
  }

  #pause(pass: number): Promise<void> {
    const { pauseMilliseconds, pauseMillisecondsMost } = this.#limits;
    const milliseconds = Math.min(pauseMilliseconds * 2 ** pass, pauseMillisecondsMost);
    return pause(this.#environment, milliseconds);
  }

  async #find(
    command: GetObjectCommand,
    { signal }: Attempt,
  ): Promise<GetObjectCommandOutput | undefined> {
    const answer = await unlessAbsent(this.#client.send(command, { abortSignal: signal }));
    if (answer !== undefined) this.#isBucketKnown = true;
    return answer;
  }

  /**
   * Asks for the head of an object. The answer has no body, so a 404 does not say whether there is
   * a bucket.
   */
  async #headOf(
    address: Address,
    signal: AbortSignal,
  ): Promise<HeadObjectCommandOutput | undefined> {
    const command = new HeadObjectCommand(address);
    const answer = await unlessAbsent(this.#client.send(command, { abortSignal: signal }));
    if (answer === undefined && !this.#isBucketKnown) await this.#listAny(signal);
    this.#isBucketKnown = true;
    return answer;
  }

  async #listAny(signal: AbortSignal): Promise<void> {
    const where = { Bucket: this.#bucket, Prefix: this.#prefix, MaxKeys: 1 };
    await this.#client.send(new ListObjectsV2Command(where), { abortSignal: signal });
  }

  async #run<Result>(step: string, call: Omit<Call<Result>, 'isTransient'>): Promise<Result> {
    try {
      return await this.#patience.run({ ...call, isTransient });
    } catch (error) {
      throw error instanceof DamagedObject ? error : unavailable(step, error);
    }
  }

  #address(key: string): Address {
    checkObjectKey(key);
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }
}
