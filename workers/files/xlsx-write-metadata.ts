const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.microsoft.com/office/spreadsheetml/2017';

const valueFlags = flags(
  'copy pasteAll pasteValues merge splitFirst rowColShift clearFormats clearComments assign coerce',
);

/**
 * Returns the metadata part: the one record for `cm="1"`, a dynamic array, and a record for each
 * rich value to which `vm` points. [MS-XLSX] 2.2.4.1 and 2.6.
 */
export function cellMetadata(richValueCount: number): string {
  const hasValues = richValueCount > 0;
  const numbers = Array.from({ length: richValueCount }, (_, index) => index);
  const values = `<metadataType name="XLRICHVALUE" minSupportedVersion="120000" ${valueFlags}/>`;
  return (
    `${declaration}<metadata xmlns="${main}" xmlns:xda="${office}/dynamicarray"` +
    `${hasValues ? ` xmlns:xlrd="${office}/richdata"` : ''}>` +
    `<metadataTypes count="${hasValues ? 2 : 1}">` +
    `<metadataType name="XLDAPR" minSupportedVersion="120000" ${valueFlags} cellMeta="1"/>` +
    `${hasValues ? values : ''}</metadataTypes>` +
    '<futureMetadata name="XLDAPR" count="1"><bk><extLst>' +
    '<ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}">' +
    '<xda:dynamicArrayProperties fDynamic="1" fCollapsed="0"/></ext></extLst></bk>' +
    `</futureMetadata>${hasValues ? richRecords(numbers) : ''}` +
    '<cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata>' +
    `${hasValues ? valueRecords(numbers) : ''}</metadata>`
  );
}

function flags(names: string): string {
  return names
    .split(' ')
    .map((name) => `${name}="1"`)
    .join(' ');
}

function richRecords(numbers: readonly number[]): string {
  const records = numbers.map(
    (number) =>
      '<bk><extLst><ext uri="{3e2802c4-a4d2-4d8b-9148-e3be6c30e623}">' +
      `<xlrd:rvb i="${number}"/></ext></extLst></bk>`,
  );
  const open = `<futureMetadata name="XLRICHVALUE" count="${records.length}">`;
  return `${open}${records.join('')}</futureMetadata>`;
}

function valueRecords(numbers: readonly number[]): string {
  const records = numbers.map((number) => `<bk><rc t="2" v="${number}"/></bk>`);
  return `<valueMetadata count="${records.length}">${records.join('')}</valueMetadata>`;
}
