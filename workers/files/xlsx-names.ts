import { definedNameFault } from '../../server/model/names.ts';
import { formulaFromFile } from './formula-import.ts';
import { formulaTokens, isExternal } from './formula-tokens.ts';
import type { DroppedList, ImportedName } from './imported-workbook.ts';
import { decodeEscapes } from './xml-text.ts';
import { isTrue, type XmlAttributes } from './xml-reader.ts';

/** A definedName element with its text. */
export interface NameElement {
  readonly attributes: XmlAttributes;
  readonly text: string;
}

/** The names that mean something to a formula; the others go to the list of what is dropped. */
export function importNames(
  elements: readonly NameElement[],
  sheetNames: readonly (string | undefined)[],
  dropped: DroppedList,
): ImportedName[] {
  const names: ImportedName[] = [];
  for (const { attributes, text } of elements) {
    const name = decodeEscapes(attributes['name'] ?? '');
    // This name repeats the place of the filter of its sheet.
    if (/^_xlnm\._FilterDatabase$/i.test(name)) continue;
    const local = attributes['localSheetId'];
    const scope = local === undefined ? undefined : sheetNames[Number(local)];
    const reason = refusal(name, attributes, text);
    if (reason !== undefined) {
      dropped.add(`defined name ${name}`, reason, scope === undefined ? {} : { where: scope });
    } else if (local !== undefined && scope === undefined) {
      dropped.add(`defined name ${name}`, 'it belongs to a sheet that is not kept');
    } else {
      const comment = attributes['comment'];
      const formula = formulaFromFile(asOneReference(decodeEscapes(text)));
      names.push({ name, scope, formula, ...(comment === undefined ? {} : { comment }) });
    }
  }
  return names;
}

/** A name of several areas, `S!$A$1,S!$C$1`, which a formula writes in parentheses. */
function asOneReference(text: string): string {
  if (!text.includes(',')) return text;
  let depth = 0;
  for (const { kind, text: spelled } of formulaTokens(text)) {
    if (kind !== 'mark') continue;
    if (spelled === '(' || spelled === '{') depth++;
    if (spelled === ')' || spelled === '}') depth--;
    if (spelled === ',' && depth === 0) return `(${text.replace(/^\s*=/, '')})`;
  }
  return text;
}

function refusal(name: string, attributes: XmlAttributes, text: string): string | undefined {
  if (/^_xlnm\./i.test(name)) return 'print areas and their like are not kept';
  if (isTrue(attributes['vbProcedure']) || isTrue(attributes['xlm'])) return 'it names a macro';
  if (text.trim() === '') return 'it is empty';
  if (isExternal(text)) return 'it refers to another workbook';
  return definedNameFault(name);
}
