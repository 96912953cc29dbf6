import type { ImportedTable } from './imported-workbook.ts';
import { formulaToFile } from './formula-export.ts';
import { encodeText } from './xml-text.ts';

/** Functions of SUBTOTAL that skip hidden rows, by their name in a totals row. */
const totalsFunctions: ReadonlyMap<string, string> = new Map([
  ['101', 'average'],
  ['102', 'countNums'],
  ['103', 'count'],
  ['104', 'max'],
  ['105', 'min'],
  ['107', 'stdDev'],
  ['109', 'sum'],
  ['110', 'var'],
]);
const totalsShape = /^=SUBTOTAL\((\d{3}),[^[\](),]*\[((?:[^'[\]]|'.)*)\]\)$/iu;

/** Returns the columns of a table part, with their formulas and the contents of the totals row. */
export function tableColumns(table: ImportedTable, taken: ReadonlySet<string>): string {
  const spell = (formula: string): string =>
    encodeText(formulaToFile(formula, { table: table.name, taken }));
  const columns = table.columns.map((_, index) => tableColumn(table, index, spell));
  return `<tableColumns count="${columns.length}">${columns.join('')}</tableColumns>`;
}

/** Returns a formula as the file spells it. */
type Spell = (formula: string) => string;

function tableColumn(table: ImportedTable, index: number, spell: Spell): string {
  const formula = table.formulas?.[index];
  const name = table.columns[index] ?? '';
  const { attribute, element } = totalsOf(table, index, spell);
  const calculated =
    formula === undefined ? '' : formulaElement('calculatedColumnFormula', spell(formula));
  const open = `<tableColumn id="${index + 1}" name="${encodeText(name)}"${attribute}`;
  const content = calculated + element;
  return content === '' ? `${open}/>` : `${open}>${content}</tableColumn>`;
}

function totalsOf(table: ImportedTable, index: number, spell: Spell) {
  const total = table.totals?.[index];
  const name = table.columns[index] ?? '';
  if (typeof total !== 'string' || total === '') return { attribute: '', element: '' };
  if (!total.startsWith('=')) {
    return { attribute: ` totalsRowLabel="${encodeText(total)}"`, element: '' };
  }
  const [, number = '', column = ''] = totalsShape.exec(total) ?? [];
  const known = totalsFunctions.get(number);
  const isOwn = column.replaceAll(/'(.)/gu, '$1').toLowerCase() === name.toLowerCase();
  if (known !== undefined && isOwn) {
    return { attribute: ` totalsRowFunction="${known}"`, element: '' };
  }
  const element = formulaElement('totalsRowFormula', spell(total));
  return { attribute: ' totalsRowFunction="custom"', element };
}

function formulaElement(name: string, spelled: string): string {
  return `<${name}>${spelled}</${name}>`;
}
