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
  /** Sheets of the file in their order; undefined for one that is not kept. */
  readonly sheetNames: readonly (string | undefined)[];
  readonly externalNames: ExternalNames;
  readonly dropped: DroppedList;
}

/** Returns the names that formulas can use, and lists the others as dropped. */
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

/** Returns the parenthesised form of a name of several areas, such as `S!$A$1,S!$C$1`. */
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
 * Returns whether a name only repeats something: the area of a sheet's filter, or a function that
 * older versions of Excel do not know (`_xlfn.XLOOKUP`, `_xleta.SUM`).
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
