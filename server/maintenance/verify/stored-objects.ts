import { createHash } from 'node:crypto';

import type { Pace } from '../../branches/pace.ts';
import { workbookPrefix } from '../../history/keys.ts';
import { Failure } from '../../model/failure.ts';
import { DamagedObject } from '../../storage/damaged-object.ts';
import type { Objects } from '../../storage/objects.ts';
import { VerifyFault, type FaultKind } from './fault.ts';

/** The position that needs an object, for the message when it is not there. */
export interface Reader {
  readonly branchNo: number;
  readonly seq: number;
}

const hashedAtOnce = 1 << 20;

/** The objects of one workbook; a store that does not answer is a failure, never a fault. */
export class StoredObjects {
  readonly #objects: Pick<Objects, 'get' | 'list' | 'check'>;
  readonly #prefix: string;
  /** Keys without the prefix, of the moment of the listing. */
  #keys = new Set<string>();

  constructor(objects: Pick<Objects, 'get' | 'list' | 'check'>, workbookId: string) {
    this.#objects = objects;
    this.#prefix = workbookPrefix(workbookId);
  }

  async list(): Promise<void> {
    const keys = new Set<string>();
    await answered(async () => {
      await this.#objects.check();
      for await (const key of this.#objects.list(this.#prefix)) {
        keys.add(key.slice(this.#prefix.length));
      }
    });
    this.#keys = keys;
  }

  get keys(): ReadonlySet<string> {
    return this.#keys;
  }

  /** A key as faults and listings name it; undefined for one of another workbook. */
  placeOf(key: string): string | undefined {
    return key.startsWith(this.#prefix) ? key.slice(this.#prefix.length) : undefined;
  }

  /** Fails with a fault if it is not there, or if the store knows that it is damaged. */
  async read(place: string, reader: Reader): Promise<Buffer> {
    const found = await answered(async () => {
      try {
        return await this.#objects.get(this.#prefix + place);
      } catch (error) {
        if (error instanceof DamagedObject) throw objectFault(place, reader, 'damaged');
        throw error;
      }
    });
    if (!found) throw objectFault(place, reader, 'missing');
    return Buffer.from(found.buffer, found.byteOffset, found.byteLength);
  }
}

export function objectFault(where: string, reader: Reader, what: FaultKind): VerifyFault {
  const isMissing = what === 'missing';
  const isDerived = /^(?:pack|snapshot)\//.test(where);
  const restore = isMissing ? 'Put this object back' : 'Restore this object';
  const madeAnew = isDerived ? 'from the journal' : 'if PostgreSQL still has its operations';
  const hint = `The service makes this object anew ${madeAnew}: verify again in a minute. ${restore} from a copy of the object store if it does not.`;
  return new VerifyFault({ ...reader, what, where, hint });
}

/** SHA-256, with a rest whenever one is due. */
export async function hashInPieces(bytes: Buffer, pace: Pace): Promise<Buffer> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += hashedAtOnce) {
    hash.update(bytes.subarray(at, at + hashedAtOnce));
    if (pace.isDue) await pace.rest();
  }
  return hash.digest();
}

async function answered<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Failure || error instanceof VerifyFault) throw error;
    throw new Failure('unavailable', {
      detail: 'The object store does not answer, so nothing can be said of what is in it.',
      hint: 'Send the same request again later.',
      headers: { 'Retry-After': '5' },
      cause: error,
    });
  }
}
