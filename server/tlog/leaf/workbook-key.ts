import { concatBytes, encodeText, encodeUint64 } from '../encoding/bytes.ts';
import { checkCount } from '../encoding/decimal.ts';
import { hashBytes, type Sha256 } from '../tree/hasher.ts';
import { hkdfExpand, hkdfExtract, hmacSha256 } from './hmac.ts';
import type { Statement, StatementKind } from './statement.ts';

export const workbookKeyBytes = 32;
export const nonceBytes = 16;
const tagBytes = 16;

/** Branches whose key is remembered; deriving one takes two hashes. */
const noncesMost = 32;

/**
 * The key that hides the content of one workbook in the log. It is random and kept beside the
 * history: with it goes the only way to open, or even to recognise, the entries of the workbook.
 */
export class WorkbookKey {
  /** Marks entries of this workbook in the database; no file of the log has it. */
  readonly tag: Uint8Array;
  readonly #sha256: Sha256;
  readonly #key: Uint8Array;
  /** Nonce inputs by branch: each operation has a nonce, so their common part is derived once. */
  readonly #nonces = new Map<string, NonceInput>();
  /** Hiding keys by what they hide; each is derived when it is needed first. */
  readonly #hidingKeys = new Map<string, Uint8Array>();

  constructor(sha256: Sha256, secret: Uint8Array) {
    if (secret.length !== workbookKeyBytes) {
      throw new RangeError(`the key of a workbook has ${workbookKeyBytes} bytes`);
    }
    this.#sha256 = sha256;
    this.#key = hkdfExtract(sha256, secret);
    this.tag = sha256(concatBytes([encodeText('tlog-tag'), secret])).subarray(0, tagBytes);
  }

  /**
   * The salt of a statement: derived, so that a statement that is made again has the same leaf. The
   * holder of one statement must not be able to test guesses of another: no two of version 2 share
   * a salt.
   */
  salt(statement: SaltedStatement): Uint8Array {
    const { version, kind, branch, lastSeq, timeMilliseconds } = statement;
    checkCount(lastSeq, 'the sequence number');
    const name = version === 1 ? `tlog-salt${branch}\0` : `tlog-salt2${kind}\0${branch}\0`;
    const info = [encodeText(name), encodeUint64(lastSeq)];
    if (version !== 1 && repeatedKinds.includes(kind)) info.push(encodeUint64(timeMilliseconds));
    return hkdfExpand(this.#sha256, this.#key, concatBytes(info));
  }

  /** A hash of the journal's chain as a statement of version 2 shows it. */
  hideChain(chain: Uint8Array): Uint8Array {
    return this.#hide('tlog-chain', chain);
  }

  /** The hash of a state, or the digest of an approval, as a statement of version 2 shows it. */
  hideState(state: Uint8Array): Uint8Array {
    return this.#hide('tlog-state', state);
  }

  #hide(info: string, hash: Uint8Array): Uint8Array {
    const key = this.#hidingKeys.get(info) ?? hkdfExpand(this.#sha256, this.#key, encodeText(info));
    this.#hidingKeys.set(info, key);
    return hmacSha256(this.#sha256, key, hash);
  }

  /**
   * The nonce that hides the record of an approval of version 2. The operation at the same position
   * has another nonce, so that its proof gives nothing away.
   */
  approvalNonce(branch: string, seq: number, timeMilliseconds: number): Uint8Array {
    const name = encodeText(`tlog-nonce2approval\0${branch}\0`);
    const place = concatBytes([name, encodeUint64(seq), encodeUint64(timeMilliseconds)]);
    return hkdfExpand(this.#sha256, this.#key, place).subarray(0, nonceBytes);
  }

  /** The nonce that hides one operation among those of its segment. */
  nonce(branch: string, seq: number): Uint8Array {
    checkCount(seq, 'the sequence number');
    const input = this.#nonces.get(branch) ?? this.#nonceInput(branch);
    input.view.setUint32(hashBytes, Math.floor(seq / 2 ** 32));
    input.view.setUint32(hashBytes + 4, seq % 2 ** 32);
    return this.#sha256(input.bytes).subarray(0, nonceBytes);
  }

  /**
   * The key that nonces of a branch are derived from: SHA-256 of it and of the number, eight bytes.
   */
  nonceKey(branch: string): Uint8Array {
    const { bytes } = this.#nonces.get(branch) ?? this.#nonceInput(branch);
    return bytes.subarray(0, hashBytes);
  }

  #nonceInput(branch: string): NonceInput {
    const bytes = new Uint8Array(hashBytes + 8);
    bytes.set(hkdfExpand(this.#sha256, this.#key, encodeText(`tlog-nonce${branch}\0`)));
    const input = { bytes, view: new DataView(bytes.buffer) };
    // Branches come and go; those that are written to now are few.
    if (this.#nonces.size >= noncesMost) this.#nonces.clear();
    this.#nonces.set(branch, input);
    return input;
  }
}

/** Kinds that can be said more than once of one position: their salt depends on the time, too. */
const repeatedKinds: readonly StatementKind[] = ['approval', 'archive', 'restore', 'purge'];

/** The members of a statement that its salt depends on. */
export type SaltedStatement = Pick<
  Statement,
  'version' | 'kind' | 'branch' | 'lastSeq' | 'timeMilliseconds'
>;

/**
 * Input of the hash that makes a nonce: a key and a sequence number, which is written anew each
 * time.
 */
interface NonceInput {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}
