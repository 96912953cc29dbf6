import { brokenFile, FileProblem } from './file-problem.ts';
import { readXml, type XmlAttributes } from './xml-reader.ts';
import { ZipEntries, encryptedFile } from './zip-entries.ts';

export interface Relationship {
  readonly id: string;
  /** Last segment of the type's address, which is the same in transitional and strict files. */
  readonly type: string;
  /** Name of the part in the archive, without a leading slash. */
  readonly target: string;
  readonly isExternal: boolean;
}

const compoundFileMark = [0xd0, 0xcf, 0x11, 0xe0];
const saveAsXlsx = 'Save it as .xlsx (Excel workbook) and import that file.';

/** Opens the archive, or fails with what the bytes are instead. */
export function openPackage(bytes: Uint8Array): ZipEntries {
  if (compoundFileMark.every((byte, index) => bytes[index] === byte)) throw compoundFile(bytes);
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) {
    const message = 'The file is not an .xlsx workbook.';
    throw new FileProblem('file_not_xlsx', message, saveAsXlsx);
  }
  const zip = new ZipEntries(bytes);
  if (zip.has('mimetype')) throw notXlsx('an OpenDocument file');
  return zip;
}

/** Returns the workbook part, by the relationships of the package. */
export function workbookPart(zip: ZipEntries): string {
  const main = relationships(zip, '').find(({ type }) => type === 'officeDocument')?.target;
  if (main?.endsWith('.bin') === true) throw notXlsx('a binary workbook (.xlsb)');
  if (main?.startsWith('word/') === true) throw notXlsx('a Word document');
  if (main?.startsWith('ppt/') === true) throw notXlsx('a PowerPoint presentation');
  if (main !== undefined && zip.has(main)) return main;
  if (zip.has('xl/workbook.xml')) return 'xl/workbook.xml';
  throw notXlsx('a ZIP archive without a workbook in it');
}

/** Returns the name of the relationships of a part; `''` is the package. */
export function linksOf(part: string): string {
  const slash = part.lastIndexOf('/') + 1;
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
}

/** Returns the relationships of a part, which may be none; `''` is the package. */
export function relationships(zip: ZipEntries, part: string): Relationship[] {
  const slash = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, slash);
  const path = linksOf(part);
  if (!zip.has(path)) return [];
  const found: Relationship[] = [];
  readXml(zip, path, {
    open(name: string, attributes: XmlAttributes): void {
      if (name !== 'Relationship') return;
      const target = attributes['Target'] ?? '';
      const isExternal = attributes['TargetMode'] === 'External';
      found.push({
        id: attributes['Id'] ?? '',
        type: (attributes['Type'] ?? '').split('/').at(-1) ?? '',
        target: isExternal ? target : resolve(folder, target),
        isExternal,
      });
    },
  });
  return found;
}

function resolve(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/');
  const segments = path.startsWith('/') ? [] : folder.split('/').filter((name) => name !== '');
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) throw brokenFile('a relationship leads outside of it');
  }
  const name = segments.join('/');
  return name.includes('%') ? decodePercent(name) : name;
}

function decodePercent(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw brokenFile('a relationship has a target that is not an address');
  }
}

/** Returns the problem of a compound file: an old .xls, or an encrypted .xlsx. */
function compoundFile(bytes: Uint8Array): FileProblem {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const marker = Buffer.from('EncryptedPackage', 'utf16le');
  return content.includes(marker) ? encryptedFile() : notXlsx('an old .xls workbook');
}

function notXlsx(what: string): FileProblem {
  return new FileProblem('file_not_xlsx', `The file is ${what}, not .xlsx.`, saveAsXlsx);
}
