import type { Checksum } from './checksums.ts';
import { md5 } from './checksums.ts';
import { S3Error } from './s3-error.ts';

export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly checksum: Checksum | undefined;
  /** Headers that come back with the object: its type and `x-amz-meta-…`. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Upload {
  readonly bytes: Buffer;
  readonly checksum: Checksum | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: Date;
}

/** Conditions for a put to happen. */
export interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifMatch: string | undefined;
}

interface Change {
  readonly key: string;
  readonly wasThere: boolean;
}

const changesKept = 10_000;

export class Bucket {
  readonly objects = new Map<string, StoredObject>();
  /** Changes in order; enough of them to show an older listing. */
  readonly #changes: Change[] = [];
  readonly #conditionalPuts = new Set<string>();

  /**
   * Notes a put of a key in progress. A second one with a condition is then refused, as S3 may do;
   * the returned function ends it.
   */
  begin(key: string, conditions: Conditions): () => void {
    checkConditions(conditions);
    if (conditions.ifNoneMatch === undefined && conditions.ifMatch === undefined) {
      return () => undefined;
    }
    if (this.#conditionalPuts.has(key)) {
      const message = 'The conditional request cannot succeed due to a conflicting operation.';
      throw new S3Error(409, 'ConditionalRequestConflict', message, { Key: key });
    }
    this.#conditionalPuts.add(key);
    return () => this.#conditionalPuts.delete(key);
  }

  put(key: string, upload: Upload, { ifNoneMatch, ifMatch }: Conditions): StoredObject {
    const found = this.objects.get(key);
    if (ifNoneMatch !== undefined && found !== undefined) throw unmet('If-None-Match');
    if (ifMatch !== undefined && found === undefined) throw noSuchKey(key);
    if (ifMatch !== undefined && !sameTag(ifMatch, found?.etag)) throw unmet('If-Match');
    const { bytes, checksum, headers, now } = upload;
    const etag = `"${md5(bytes).toString('hex')}"`;
    const stored = { bytes, etag, modifiedAt: now, checksum, headers };
    this.#change(key, stored);
    return stored;
  }

  get(key: string): StoredObject {
    const found = this.objects.get(key);
    if (found === undefined) throw noSuchKey(key);
    return found;
  }

  delete(key: string): void {
    if (this.objects.has(key)) this.#change(key, undefined);
  }

  /**
   * Returns the keys as they are, or as they were some changes ago, in the order of their bytes.
   */
  keys(changesBehind = 0): string[] {
    const keys = new Set(this.objects.keys());
    const undone = this.#changes.slice(Math.max(0, this.#changes.length - changesBehind));
    for (const { key, wasThere } of undone.toReversed()) {
      if (wasThere) keys.add(key);
      else keys.delete(key);
    }
    return [...keys].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  }

  #change(key: string, after: StoredObject | undefined): void {
    this.#changes.push({ key, wasThere: this.objects.has(key) });
    if (this.#changes.length > changesKept) this.#changes.shift();
    if (after === undefined) this.objects.delete(key);
    else this.objects.set(key, after);
  }
}

/** Conditions of a read: 412 and 304. */
export function checkRead(stored: StoredObject, conditions: Conditions): 'modified' | 'same' {
  const { ifMatch, ifNoneMatch } = conditions;
  if (ifMatch !== undefined && !sameTag(ifMatch, stored.etag)) throw unmet('If-Match');
  return ifNoneMatch !== undefined && sameTag(ifNoneMatch, stored.etag) ? 'same' : 'modified';
}

function checkConditions({ ifNoneMatch, ifMatch }: Conditions): void {
  if (ifNoneMatch === undefined || (ifNoneMatch === '*' && ifMatch === undefined)) return;
  const message = 'A header you provided implies functionality that is not implemented';
  throw new S3Error(501, 'NotImplemented', message, { Header: 'If-None-Match' });
}

function sameTag(given: string, etag: string | undefined): boolean {
  return given === '*' || given.replaceAll('"', '') === etag?.replaceAll('"', '');
}

function unmet(condition: string): S3Error {
  const message = 'At least one of the pre-conditions you specified did not hold';
  return new S3Error(412, 'PreconditionFailed', message, { Condition: condition });
}

function noSuchKey(key: string): S3Error {
  return new S3Error(404, 'NoSuchKey', 'The specified key does not exist.', { Key: key });
}
