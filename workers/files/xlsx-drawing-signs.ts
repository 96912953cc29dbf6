import { readXml, type XmlAttributes } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

/** Sheets that one drawing may name; only a forged file has more. */
const namesMost = 1_000;

/** Elements of drawings and charts that the import does not keep, with their description. */
const unkept: Readonly<Record<string, string>> = {
  slicer: 'it has a slicer',
  timeslicer: 'it has a timeline',
  pivotSource: 'a chart shows a pivot table',
};

/** References from the parts of a drawing to the rest of the workbook. */
export class DrawingSigns {
  /** Names of sheets whose cells are shown. */
  readonly refersTo = new Set<string>();
  /** Reason why the parts are useless on their own; undefined if they are not. */
  fault: string | undefined;

  read(zip: ZipEntries, part: string, contentType: string): void {
    if (!/\.(?:drawing|chart|chartex|chartshapes)\+xml$/iu.test(contentType)) return;
    let formula: string | undefined;
    readXml(zip, part, {
      open: (name: string, attributes: XmlAttributes): void => {
        this.fault ??= unkept[name];
        if (name === 'f') formula = '';
        const link = attributes['textlink'];
        if (link !== undefined) this.#take(link);
      },
      text: (text: string): void => {
        if (formula !== undefined) formula += text;
      },
      close: (name: string): void => {
        if (name !== 'f' || formula === undefined) return;
        this.#take(formula);
        formula = undefined;
      },
    });
  }

  #take(formula: string): void {
    for (const name of sheetsOf(formula)) {
      if (this.refersTo.size >= namesMost) this.fault ??= 'its charts show too many sheets';
      else this.refersTo.add(name);
    }
  }
}

const quoted = /'((?:[^']|'')+)'!/gu;
const bare =
  /(?<![\p{L}\p{M}\p{N}_.'\]])([\p{L}_][\p{L}\p{M}\p{N}_.]*(?::[\p{L}_][\p{L}\p{M}\p{N}_.]*)?)!/gu;

/**
 * Returns the sheets that a chart's formula names, without those of other workbooks such as
 * `[1]Sheet1!A1`.
 */
function sheetsOf(formula: string): string[] {
  const found: string[] = [];
  const rest = formula.replaceAll(quoted, (_, name: string) => {
    found.push(name.replaceAll("''", "'"));
    return ' ';
  });
  for (const match of rest.matchAll(bare)) found.push(match[1] ?? '');
  return found.filter((name) => !name.startsWith('['));
}
