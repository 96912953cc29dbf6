import { isTrue, readXml, type XmlAttributes } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

/**
 * Reads the values of the attribute `cm` that mark a cell as a dynamic array: [MS-XLSX] 2.2.4.1.
 * `cm` counts the records of cellMetadata from one; a record points at a metadata type and at one
 * of its future records, which says fDynamic.
 */
export function readDynamicMarks(zip: ZipEntries, part: string): ReadonlySet<number> {
  const types: string[] = [];
  const dynamicRecords: boolean[] = [];
  const cellRecords: { type: number; record: number }[][] = [];
  let section = '';
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes, depth: number): void {
      if (depth === 2) section = sectionOf(name, attributes);
      if (name === 'metadataType') types.push(attributes['name'] ?? '');
      if (name === 'bk' && section === 'XLDAPR') dynamicRecords.push(false);
      if (name === 'dynamicArrayProperties' && section === 'XLDAPR') {
        dynamicRecords[dynamicRecords.length - 1] = isTrue(attributes['fDynamic']);
      }
      if (section !== 'cellMetadata') return;
      if (name === 'bk') cellRecords.push([]);
      if (name === 'rc') {
        const record = { type: Number(attributes['t']), record: Number(attributes['v']) };
        cellRecords.at(-1)?.push(record);
      }
    },
  });
  const marks = new Set<number>();
  for (const [index, records] of cellRecords.entries()) {
    const isDynamic = records.some(
      ({ type, record }) => types[type - 1] === 'XLDAPR' && dynamicRecords[record] === true,
    );
    if (isDynamic) marks.add(index + 1);
  }
  return marks;
}

function sectionOf(name: string, attributes: XmlAttributes): string {
  return name === 'futureMetadata' ? (attributes['name'] ?? '') : name;
}
