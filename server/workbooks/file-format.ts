import { Failure } from '../model/failure.ts';
import type { FileFormat } from '../model/file-reader.ts';

const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const formats: Readonly<Record<string, FileFormat>> = {
  [xlsxType]: 'xlsx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  'text/csv': 'csv',
};

/** Types that say nothing, or that browsers give to files of any spreadsheet program. */
const vagueTypes = ['application/octet-stream', 'application/vnd.ms-excel'] as const;

/** Media types that a workbook can be made from. */
export const fileMediaTypes: string[] = [...Object.keys(formats), ...vagueTypes];

const archiveMark = [0x50, 0x4b, 0x03, 0x04];
/** First bytes of an old .xls, and of an .xlsx with a password; its reader can tell them apart. */
const compoundMark = [0xd0, 0xcf, 0x11, 0xe0];
const sampleBytes = 4096;

interface SentFile {
  readonly mediaType: string;
  /** Joined on access, so only if the media type does not decide. */
  readonly bytes: Uint8Array;
}

/** The format of a file by its media type or, where that is vague, by its first bytes; else 415. */
export function fileFormat(file: SentFile): FileFormat {
  const { mediaType } = file;
  const known = formats[mediaType];
  if (known !== undefined) return known;
  const { bytes } = file;
  if (startsWith(bytes, archiveMark)) return 'xlsx';
  if (startsWith(bytes, compoundMark)) {
    if (holdsEncryptedPackage(bytes)) return 'xlsx';
    throw refused('The file is an old .xls workbook.');
  }
  // Excel's media type is what Windows calls a .csv.
  if (mediaType === 'application/vnd.ms-excel' && looksLikeText(bytes)) return 'csv';
  throw refused(`Content-Type is ${mediaType}, and the file is not .xlsx.`);
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

function holdsEncryptedPackage({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  const marker = Buffer.from('EncryptedPackage', 'utf16le');
  return Buffer.from(buffer, byteOffset, byteLength).includes(marker);
}

function looksLikeText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, sampleBytes).includes(0);
}

function refused(detail: string): Failure {
  const taken = Object.keys(formats).join(', ');
  return new Failure('unsupportedMediaType', {
    detail,
    hint: `Send .xlsx as ${xlsxType} or .csv as text/csv; save any other file as one of them first.`,
    headers: { Accept: taken },
  });
}
