import { concatBytes, encodeText, encodeUint64 } from '../encoding/bytes.ts';
import { checkCount } from '../encoding/decimal.ts';
import { hashBytes, type Sha256 } from '../tree/hasher.ts';
import { hkdfExpand, hkdfExtract } from './hmac.ts';

export const workbookKeyBytes = 32;
export const nonceBytes = 16;

/**
 * What hides the content of one workbook in the log. It is random and kept beside the history: with
 * it goes the only way to open, or even to recognise, what was logged of the workbook.
 */
export class WorkbookKey {
  readonly #sha256: Sha256;
  readonly #key: Uint8Array;
  /** By branch: each operation has a nonce, so what they have in common is derived once. */
  readonly #nonces = new Map<string, NonceInput>();

  constructor(sha256: Sha256, secret: Uint8Array) {
    if (secret.length !== workbookKeyBytes) {
      throw new RangeError(`the key of a workbook has ${workbookKeyBytes} bytes`);
    }
    this.#sha256 = sha256;
    this.#key = hkdfExtract(sha256, secret);
  }

  /** The salt of a statement: derived, so that one that is made again has the same leaf. */
  salt(branch: string, lastSeq: number): Uint8Array {
    checkCount(lastSeq, 'the sequence number');
    const name = encodeText(`tlog-salt${branch}\0`);
    return hkdfExpand(this.#sha256, this.#key, concatBytes([name, encodeUint64(lastSeq)]));
  }

  /** What hides one operation among those of its segment. */
  nonce(branch: string, seq: number): Uint8Array {
    checkCount(seq, 'the sequence number');
    const input = this.#nonces.get(branch) ?? this.#nonceInput(branch);
    input.view.setUint32(hashBytes, Math.floor(seq / 2 ** 32));
    input.view.setUint32(hashBytes + 4, seq % 2 ** 32);
    return this.#sha256(input.bytes).subarray(0, nonceBytes);
  }

  /** What the nonces of a branch are derived from: SHA-256 of it and of the number, eight bytes. */
  nonceKey(branch: string): Uint8Array {
    const { bytes } = this.#nonces.get(branch) ?? this.#nonceInput(branch);
    return bytes.subarray(0, hashBytes);
  }

  #nonceInput(branch: string): NonceInput {
    const bytes = new Uint8Array(hashBytes + 8);
    bytes.set(hkdfExpand(this.#sha256, this.#key, encodeText(`tlog-nonce${branch}\0`)));
    const input = { bytes, view: new DataView(bytes.buffer) };
    this.#nonces.set(branch, input);
    return input;
  }
}

/** What is hashed to a nonce: a key and a sequence number, which is written anew each time. */
interface NonceInput {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}
