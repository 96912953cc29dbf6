import type { ErrorCode } from '../../server/model/cell-value.ts';
import type { Relationship } from './xlsx-package.ts';
import { readXml, type XmlAttributes } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

/**
 * Errors that are newer than the file format: the cell says #VALUE!, and its `vm` attribute leads
 * by the metadata to a rich value that names the error. [MS-XLSX] 2.6.
 */

/** `errorType` of a rich value. */
const errorTypes: ReadonlyMap<ErrorCode, number> = new Map([
  ['#SPILL!', 8],
  ['#BLOCKED!', 10],
  ['#FIELD!', 12],
  ['#CALC!', 13],
]);
const errorOfType = new Map([...errorTypes].map(([error, type]) => [String(type), error]));

export interface RichErrors {
  /** Errors, by the `vm` attribute of their cells. */
  readonly marks: ReadonlyMap<number, ErrorCode>;
  /** Number of rich values that are no errors: linked data and pictures in cells. */
  readonly otherCount: number;
}

export const noRichErrors: RichErrors = { marks: new Map(), otherCount: 0 };

/** Reads the meaning of `vm` from the metadata and the parts that the workbook links to. */
export function readRichErrors(
  zip: ZipEntries,
  links: readonly Relationship[],
  metadata: string,
): RichErrors {
  const partOf = (wanted: string): string | undefined => {
    const target = links.find(({ type }) => type === wanted)?.target;
    return target !== undefined && zip.has(target) ? target : undefined;
  };
  const values = partOf('rdRichValue');
  const structures = partOf('rdRichValueStructure');
  if (values === undefined || structures === undefined) return noRichErrors;
  const errors = readValues(zip, values, readStructures(zip, structures));
  const marks = new Map<number, ErrorCode>();
  for (const [index, value] of readMarks(zip, metadata).entries()) {
    const error = value === undefined ? undefined : errors[value];
    if (error !== undefined && error !== null) marks.set(index + 1, error);
  }
  return { marks, otherCount: errors.filter((error) => error === null).length };
}

/** Returns, for each structure, the index of `errorType` among its keys; -1 if it has none. */
function readStructures(zip: ZipEntries, part: string): number[] {
  const places: number[] = [];
  let keyCount = 0;
  let isError = false;
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes): void {
      if (name === 's') {
        isError = attributes['t'] === '_error';
        keyCount = 0;
        places.push(-1);
      }
      if (name !== 'k') return;
      if (isError && attributes['n'] === 'errorType') places[places.length - 1] = keyCount;
      keyCount++;
    },
  });
  return places;
}

/** Reads the error of each rich value: null if it is none, undefined if it is unknown. */
function readValues(
  zip: ZipEntries,
  part: string,
  places: readonly number[],
): (ErrorCode | null | undefined)[] {
  const found: (ErrorCode | null | undefined)[] = [];
  let place = -1;
  let index = 0;
  let text = '';
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes): void {
      text = '';
      if (name !== 'rv') return;
      place = places[Number(attributes['s'] ?? NaN)] ?? -1;
      index = 0;
      found.push(place === -1 ? null : undefined);
    },
    text(piece: string): void {
      text += piece;
    },
    close(name: string): void {
      if (name !== 'v') return;
      if (index === place) found[found.length - 1] = errorOfType.get(text.trim());
      index++;
    },
  });
  return found;
}

/** Reads the index of the rich value for each record of valueMetadata. */
function readMarks(zip: ZipEntries, part: string): (number | undefined)[] {
  const types: string[] = [];
  const richValues: number[] = [];
  const marks: (number | undefined)[] = [];
  let section = '';
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes, depth: number): void {
      if (depth === 2) section = name === 'futureMetadata' ? (attributes['name'] ?? '') : name;
      if (name === 'metadataType') types.push(attributes['name'] ?? '');
      if (name === 'rvb' && section === 'XLRICHVALUE') richValues.push(Number(attributes['i']));
      if (section !== 'valueMetadata') return;
      if (name === 'bk') marks.push(undefined);
      if (name === 'rc' && types[Number(attributes['t']) - 1] === 'XLRICHVALUE') {
        marks[marks.length - 1] = richValues[Number(attributes['v'])];
      }
    },
  });
  return marks;
}

/** Errors of this kind in an export; each is a rich value. */
export class WrittenErrors {
  readonly #marks = new Map<ErrorCode, number>();

  /**
   * Returns `vm` of a cell with this error; undefined if the format has a name for it, or cannot
   * say it.
   */
  markOf(error: ErrorCode): number | undefined {
    if (!errorTypes.has(error)) return undefined;
    const known = this.#marks.get(error);
    if (known !== undefined) return known;
    this.#marks.set(error, this.#marks.size + 1);
    return this.#marks.size;
  }

  get count(): number {
    return this.#marks.size;
  }

  valuesPart(): string {
    const values = [...this.#marks.keys()].map(
      (error) => `<rv s="0"><v>${errorTypes.get(error) ?? 0}</v></rv>`,
    );
    return `${richData('rvData', this.count)}${values.join('')}</rvData>`;
  }

  structuresPart(): string {
    const structure = '<s t="_error"><k n="errorType" t="i"/></s>';
    return `${richData('rvStructures', 1)}${structure}</rvStructures>`;
  }
}

function richData(root: string, count: number): string {
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    `<${root} xmlns="http://schemas.microsoft.com/office/spreadsheetml/2017/richdata" ` +
    `count="${count}">`
  );
}
