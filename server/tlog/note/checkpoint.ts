import { decodeBase64Of, encodeBase64 } from '../encoding/base64.ts';
import { encodeText } from '../encoding/bytes.ts';
import { checkCount, parseDecimal } from '../encoding/decimal.ts';
import { FormatFault, quote } from '../encoding/fault.ts';
import { hashBytes } from '../tree/hasher.ts';

/** The content that a log signs: the number of entries, and the root over them. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** Extension lines, which cannot be checked; we write none. */
  readonly extensions: readonly string[];
}

const originBytesMost = 255;
const ownLines = 3;

export function formatCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  checkCount(size, 'the tree size');
  if (root.length !== hashBytes) throw new RangeError(`a root has ${hashBytes} bytes`);
  const lines = [origin, String(size), encodeBase64(root), ...extensions];
  for (const line of lines) checkLine(line);
  checkOrigin(origin);
  return `${lines.join('\n')}\n`;
}

/** Reads the text of a note, without its signatures. */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  if (lines.pop() !== '') {
    throw new FormatFault('the last line of the checkpoint does not end in a line feed');
  }
  if (lines.length < ownLines) {
    throw new FormatFault(
      `the checkpoint has ${lines.length} lines: origin, size and root are due`,
    );
  }
  for (const line of lines) checkLine(line);
  const [origin = '', size = '', root = '', ...extensions] = lines;
  checkOrigin(origin);
  return {
    origin,
    size: parseDecimal(size, 'the size of the checkpoint'),
    root: decodeBase64Of(hashBytes, root, 'the root of the checkpoint'),
    extensions,
  };
}

/** Cosigners write its length in a byte, so no longer one could ever be witnessed. */
function checkOrigin(origin: string): void {
  if (encodeText(origin).length <= originBytesMost) return;
  throw new FormatFault(`the origin has more than ${originBytesMost} bytes: ${quote(origin)}`);
}

function checkLine(line: string): void {
  if (line === '') throw new FormatFault('the checkpoint has an empty line');
  for (let index = 0; index < line.length; index++) {
    if (line.charCodeAt(index) >= 0x20) continue;
    throw new FormatFault(`the checkpoint has a control character in ${quote(line)}`);
  }
}
