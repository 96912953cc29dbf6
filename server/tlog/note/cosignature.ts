import { concatBytes, encodeText, encodeUint64 } from '../encoding/bytes.ts';
import { checkCount } from '../encoding/decimal.ts';
import { FormatFault, quote } from '../encoding/fault.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { ed25519Bytes } from './crypto.ts';

const timeBytes = 8;

/**
 * The message that a witness signs: it saw this checkpoint, at this time, as the newest of its log.
 */
export function cosignatureMessage(timeSeconds: number, checkpointText: string): Uint8Array {
  checkCount(timeSeconds, 'the time of the cosignature');
  parseCheckpoint(checkpointText);
  return encodeText(`cosignature/v1\ntime ${timeSeconds}\n${checkpointText}`);
}

/** The bytes in the signature line of a witness, behind the key id. */
export function encodeCosignature(timeSeconds: number, signature: Uint8Array): Uint8Array {
  checkCount(timeSeconds, 'the time of the cosignature');
  if (signature.length !== ed25519Bytes) {
    throw new RangeError(`an Ed25519 signature has ${ed25519Bytes} bytes`);
  }
  return concatBytes([encodeUint64(timeSeconds), signature]);
}

export function readCosignature(
  name: string,
  bytes: Uint8Array,
): { timeSeconds: number; signature: Uint8Array } {
  if (bytes.length !== timeBytes + ed25519Bytes) {
    throw new FormatFault(
      `the cosignature of ${quote(name)} has ${bytes.length} bytes, not ` +
        `${timeBytes + ed25519Bytes}: a time and a signature`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, timeBytes);
  const timeSeconds = Number(view.getBigUint64(0));
  if (!Number.isSafeInteger(timeSeconds)) {
    throw new FormatFault(`the time of the cosignature of ${quote(name)} is no time of this age`);
  }
  return { timeSeconds, signature: bytes.subarray(timeBytes) };
}
