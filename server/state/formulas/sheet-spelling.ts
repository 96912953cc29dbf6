import type { FormulaService } from '../../model/formula-service.ts';
import { quoteSheet } from '../../model/range.ts';
import type { Structure } from '../structure/structure.ts';
import { namesInFormula } from './formula-names.ts';

/**
 * Returns a formula with the sheets in it spelled as their names are. Unknown sheets, and sheets of
 * other files, stay as written.
 */
export function withSheetNames(text: string, to: Structure, formulas: FormulaService): string {
  if (!text.includes('!') || isSpelled(text, to)) return text;
  const references = formulas.references(text);
  let spelled = '';
  let at = 0;
  const spell = (name: string | undefined, start: number, end: number): void => {
    const sheet = name === undefined ? undefined : to.named(name);
    if (!sheet) return;
    spelled += text.slice(at, start) + quoteSheet(sheet.name);
    at = end;
  };
  for (const { sheet, start, end } of [...references, ...askedNames(text, references)].sort(
    (a, b) => a.start - b.start,
  )) {
    spell(sheet, start, text.lastIndexOf('!', end - 1));
  }
  return spelled + text.slice(at);
}

interface Asked {
  readonly sheet?: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** Finds names with a sheet, such as `Plan!tax`. */
function askedNames(text: string, references: readonly Asked[]): Asked[] {
  const isCells = (at: number) => references.some(({ start, end }) => at >= start && at < end);
  return namesInFormula(text).flatMap(({ sheet, start }) => {
    return sheet && !isCells(start) ? [{ sheet: sheet.name, start: sheet.start, end: start }] : [];
  });
}

/** Returns whether all sheets are spelled correctly already. */
function isSpelled(text: string, to: Structure): boolean {
  const names = quotedNames(to);
  for (let at = text.indexOf('!'); at >= 0; at = text.indexOf('!', at + 1)) {
    const name = sheetBefore.exec(text.slice(Math.max(0, at - nameLongest), at))?.[0];
    if (name === undefined || !names.has(name)) return false;
  }
  return true;
}

/** Characters of a sheet's name in quotes, each apostrophe twice. */
const nameLongest = 64;
const sheetBefore = /(?:'(?:[^']|'')*'|[\p{L}\p{M}\p{N}_.\\]+)$/u;

const known = new WeakMap<Structure['sheets'], ReadonlySet<string>>();

function quotedNames({ sheets }: Structure): ReadonlySet<string> {
  let names = known.get(sheets);
  if (!names) known.set(sheets, (names = new Set(sheets.map(({ name }) => quoteSheet(name)))));
  return names;
}
