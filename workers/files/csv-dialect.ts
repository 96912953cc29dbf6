import { FileProblem } from './file-problem.ts';
import { repairWindows1252 } from './windows-1252.ts';

const delimiters = [',', ';', '\t', '|'] as const;
const sampleCharacters = 64 * 1024;
const sampleLines = 50;

/** Decodes a CSV file, and removes the delimiter that Excel's line `sep=;` declares. */
export function decodeCsv(bytes: Uint8Array): { text: string; declaredDelimiter?: string } {
  const text = decode(bytes);
  if (text.includes('\0')) {
    const hint = 'Send text in UTF-8, UTF-16 or Windows-1252, or say that the file is .xlsx.';
    throw new FileProblem('file_not_csv', 'The file is not text.', hint);
  }
  const declared = /^sep=(.)\r?\n/i.exec(text);
  if (declared?.[1] === undefined) return { text };
  return { text: text.slice(declared[0].length), declaredDelimiter: declared[1] };
}

function decode(bytes: Uint8Array): string {
  const encoding = unicodeEncoding(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    // A text that is not Unicode is most likely that of a Windows program of western Europe.
    return repairWindows1252(new TextDecoder('windows-1252').decode(bytes));
  }
}

function unicodeEncoding(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Without a byte order mark, every second byte of two ASCII letters in UTF-16 is zero.
  const zeros = [first, second, third, fourth].map((byte) => (byte === 0 ? '0' : 'x')).join('');
  if (zeros === 'x0x0') return 'utf-16le';
  return zeros === '0x0x' ? 'utf-16be' : 'utf-8';
}

/** Returns the delimiter that cuts most of the first lines into the same number of fields. */
export function sniffDelimiter(text: string): string {
  const lines = unquotedLines(text.slice(0, sampleCharacters));
  let best: string = ',';
  let bestScore = 0;
  for (const delimiter of delimiters) {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const score = agreement(counts);
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

/**
 * Returns how many lines have the most frequent number of delimiters; a draw goes to more fields.
 */
function agreement(counts: readonly number[]): number {
  const lines = new Map<number, number>();
  for (const count of counts) if (count > 0) lines.set(count, (lines.get(count) ?? 0) + 1);
  let best = 0;
  for (const [count, agreeing] of lines) best = Math.max(best, agreeing + count / 100_000);
  return best;
}

/** Returns the first lines without their quoted parts, in which delimiters are text. */
function unquotedLines(text: string): string[] {
  const plain = text.replaceAll(/"(?:[^"]|"")*(?:"|$)/g, '');
  const lines = plain.split(/\r\n|\n|\r/, sampleLines);
  return lines.filter((line) => line.trim() !== '');
}
