import { definedNameFault } from '../../server/model/names.ts';
import type { ExternalNames } from './external-names.ts';
import { formulaFromFile } from './formula-import.ts';
import { formulaTokens } from './formula-tokens.ts';
import type { DroppedList, ImportedName } from './imported-workbook.ts';
import { decodeEscapes } from './xml-text.ts';
import { isTrue, type XmlAttributes } from './xml-reader.ts';

/** A definedName element with its text. */
export interface NameElement {
  readonly attributes: XmlAttributes;
  readonly text: string;
}

interface NameContext {
  /** Sheets of the file in their order; undefined where one is not kept. */
  readonly sheetNames: readonly (string | undefined)[];
  readonly externalNames: ExternalNames;
  readonly dropped: DroppedList;
}

/** The names that mean something to a formula; the others go to the list of what is dropped. */
export function importNames(
  elements: readonly NameElement[],
  { sheetNames, externalNames, dropped }: NameContext,
): ImportedName[] {
  const names: ImportedName[] = [];
  for (const { attributes, text } of elements) {
    const name = decodeEscapes(attributes['name'] ?? '');
    if (saysNothing(name, text)) continue;
    const local = attributes['localSheetId'];
    const scope = local === undefined ? undefined : sheetNames[Number(local)];
    const elsewhere = externalNames.has(scope, name) ? otherWorkbook : undefined;
    const reason = elsewhere ?? refusal(name, attributes, text);
    if (reason !== undefined) {
      dropped.add(`defined name ${name}`, reason, scope === undefined ? {} : { where: scope });
    } else if (local !== undefined && scope === undefined) {
      dropped.add(`defined name ${name}`, 'it belongs to a sheet that is not kept');
    } else {
      const { comment } = attributes;
      const formula = formulaFromFile(asOneReference(decodeEscapes(text)));
      names.push({ name, scope, formula, ...(comment !== undefined && { comment }) });
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

/**
 * One name repeats the place of the filter of its sheet, and words that older versions of Excel do
 * not know are noted as names: `_xlfn.XLOOKUP`, `_xleta.SUM`.
 */
function saysNothing(name: string, text: string): boolean {
  if (/^_xlnm\._FilterDatabase$/i.test(name)) return true;
  return /^_xl(?:fn|pm|eta|ws|op|udf)\./i.test(name) && text.trim() === '#NAME?';
}

const otherWorkbook = 'it refers to another workbook';

function refusal(name: string, attributes: XmlAttributes, text: string): string | undefined {
  if (/^_xlnm\./i.test(name)) return 'print areas and their like are not kept';
  if (isTrue(attributes['vbProcedure']) || isTrue(attributes['xlm'])) return 'it names a macro';
  if (text.trim() === '') return 'it is empty';
  return definedNameFault(name);
}
