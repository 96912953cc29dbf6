import { concatBytes, encodeText, encodeUint64 } from '../encoding/bytes.ts';
import { checkCount } from '../encoding/decimal.ts';
import { hashBytes, type Sha256 } from '../tree/hasher.ts';
import { hkdfSha256 } from './hmac.ts';

export const workbookKeyBytes = 32;
export const nonceBytes = 16;

/**
 * What hides the content of one workbook in the log. It is random and kept beside the history: with
 * it goes the only way to open, or even to recognise, what was logged of the workbook.
 */
export class WorkbookKey {
  readonly #sha256: Sha256;
  readonly #secret: Uint8Array;
  /** By branch: each operation has a nonce, so what they have in common is derived once. */
  readonly #nonceKeys = new Map<string, Uint8Array>();

  constructor(sha256: Sha256, secret: Uint8Array) {
    if (secret.length !== workbookKeyBytes) {
      throw new RangeError(`the key of a workbook has ${workbookKeyBytes} bytes`);
    }
    this.#sha256 = sha256;
    this.#secret = secret;
  }

  /** The salt of a statement: derived, so that one that is made again has the same leaf. */
  salt(branch: string, lastSeq: number): Uint8Array {
    checkCount(lastSeq, 'the sequence number');
    const name = encodeText(`tlog-salt${branch}\0`);
    return this.#derive(concatBytes([name, encodeUint64(lastSeq)]));
  }

  /** What hides one operation among those of its segment. */
  nonce(branch: string, seq: number): Uint8Array {
    checkCount(seq, 'the sequence number');
    const key = this.#nonceKeys.get(branch) ?? this.#derive(encodeText(`tlog-nonce${branch}\0`));
    this.#nonceKeys.set(branch, key);
    return this.#sha256(concatBytes([key, encodeUint64(seq)])).slice(0, nonceBytes);
  }

  #derive(info: Uint8Array): Uint8Array {
    return hkdfSha256(this.#sha256, this.#secret, info, hashBytes);
  }
}
