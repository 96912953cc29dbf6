import type { Range } from '../../../server/model/range.ts';
import { colourIn, patternIn, signOf } from './pasted-values.ts';

/** Properties of a look as `format.set` takes them. */
export type PastedLook = Readonly<Record<string, unknown>>;

/** A tag of HTML: its name, whether it ends an element, and its attributes. */
interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly attributes: ReadonlyMap<string, string>;
}

const tagPattern = /<(\/?)([a-z][\w:-]*)((?:"[^"]*"|'[^']*'|[^"'<>])*)>/giu;
const attributePattern = /([^\s=/"']+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/gu;
const rulePattern = /\.([\w-]+)\s*\{([^}]*)\}/gu;

/** Characters of HTML that can be read in a moment; of more only texts are pasted. */
const markupMost = 8_000_000;

/** The first table in the clipboard: the styles of its cells row by row, and its merged cells. */
export interface PastedTable {
  readonly looks: readonly (readonly PastedLook[])[];
  readonly merged: readonly Range[];
}

/**
 * Reads the first table of HTML. Excel writes styles as classes, Google Sheets as styles and
 * LibreOffice as attributes. The HTML is scanned as a text, because the page must not make elements
 * of foreign content.
 */
export function tableIn(markup: string): PastedTable {
  if (markup.length > markupMost) return { looks: [], merged: [] };
  const table = new LookTable(classesIn(markup));
  for (const tag of tagsIn(markup)) if (!table.take(tag)) break;
  return { looks: table.rows, merged: table.merged };
}

function* tagsIn(markup: string): Generator<Tag> {
  for (const [, end, name = '', rest = ''] of markup.matchAll(tagPattern)) {
    const attributes = new Map<string, string>();
    for (const [, key = '', ...values] of rest.matchAll(attributePattern)) {
      attributes.set(key.toLowerCase(), unescaped(values.find(Boolean) ?? ''));
    }
    yield { name: name.toLowerCase(), isEnd: end === '/', attributes };
  }
}

function classesIn(markup: string): ReadonlyMap<string, PastedLook> {
  const styles = [...markup.matchAll(/<style[^>]*>([^]*?)<\/style>/giu)].map(([, text]) => text);
  const rules = styles.join('\n').matchAll(rulePattern);
  return new Map([...rules].map(([, name = '', text = '']) => [name, lookOfStyle(text)]));
}

/** Elements within a cell that say how its text looks. */
const marks: Readonly<Record<string, PastedLook>> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  u: { underline: 'single' },
  s: { strike: true },
  strike: { strike: true },
};

/** The looks of a table, tag after tag. */
class LookTable {
  readonly rows: PastedLook[][] = [];
  readonly merged: Range[] = [];
  readonly #classes: ReadonlyMap<string, PastedLook>;
  /** Cells of later rows that are covered by a cell above, by `row:column`. */
  readonly #covered = new Set<string>();
  #cell: { readonly row: PastedLook[]; readonly column: number } | undefined;

  constructor(classes: ReadonlyMap<string, PastedLook>) {
    this.#classes = classes;
  }

  /** Takes a tag; returns false where the table ends. */
  take({ name, isEnd, attributes }: Tag): boolean {
    if (name === 'table' && isEnd) return false;
    if (isEnd) {
      if (name === 'td' || name === 'th') this.#cell = undefined;
    } else if (name === 'tr') this.rows.push([]);
    else if (name === 'td' || name === 'th') this.#begin(attributes);
    else if (name === 'font') this.#add(lookOfColour('color', attributes.get('color')));
    else this.#add(marks[name] ?? {});
    return true;
  }

  #begin(attributes: ReadonlyMap<string, string>): void {
    const at = this.rows.length - 1;
    const row = this.rows[at];
    if (!row) return;
    while (this.#covered.has(`${at}:${row.length}`)) row.push({});
    this.#cell = { row, column: row.length };
    row.push({ ...this.#classes.get(attributes.get('class') ?? ''), ...lookOfCell(attributes) });
    const [across = 1, down = 1] = ['colspan', 'rowspan'].map((key) => spanOf(attributes.get(key)));
    for (let right = 1; right < across; right++) row.push({});
    const { column: column0 } = this.#cell;
    const area = { row0: at, row1: at + down - 1, column0, column1: column0 + across - 1 };
    if (across > 1 || down > 1) this.merged.push(area);
    for (let below = 1; below < down; below++) {
      for (let column = column0; column < row.length; column++) {
        this.#covered.add(`${at + below}:${column}`);
      }
    }
  }

  #add(look: PastedLook): void {
    if (!this.#cell) return;
    const { row, column } = this.#cell;
    row[column] = { ...row[column], ...look };
  }
}

const spanMost = 1_000;

function spanOf(text: string | undefined): number {
  return Math.min(spanMost, Number(text ?? 1) || 1);
}

function lookOfCell(attributes: ReadonlyMap<string, string>): PastedLook {
  const pattern =
    sheetsPattern(attributes.get('data-sheets-numberformat')) ??
    officePattern(attributes.get('sdnum'));
  return {
    ...lookOfColour('fill', attributes.get('bgcolor')),
    ...lookOfStyle(attributes.get('style') ?? ''),
    ...(pattern !== undefined && { numberFormat: pattern }),
  };
}

/**
 * Reads a number format of Google Sheets, `{"1":2,"2":"#,##0.00"}`, by a pattern, because the
 * content is not trusted.
 */
function sheetsPattern(text: string | undefined): string | undefined {
  const pattern = /"2":"((?:[^"\\]|\\.)*)"/u.exec(text ?? '')?.[1];
  return pattern?.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/giu, signOf);
}

/** LibreOffice: languages, and the format in the last place: `1033;0;#,##0.00`. */
function officePattern(text: string | undefined): string | undefined {
  const pattern = /^\d*;\d*;(.+)$/u.exec(text ?? '')?.[1];
  return pattern === 'General' ? undefined : pattern;
}

type Reader = (value: string) => PastedLook;

const readers: Readonly<Record<string, Reader>> = {
  'font-weight': (value) => (/^(?:bold|[6-9]00)/u.test(value) ? { bold: true } : {}),
  'font-style': (value) => (value.startsWith('italic') ? { italic: true } : {}),
  'text-decoration': (value) => ({
    ...(value.includes('underline') && { underline: 'single' }),
    ...(value.includes('line-through') && { strike: true }),
  }),
  'text-align': (value) => (value.startsWith('center') ? { align: 'center' } : {}),
  background: (value) => lookOfColour('fill', value),
  'background-color': (value) => lookOfColour('fill', value),
  color: (value) => lookOfColour('color', value),
  'mso-number-format': (value) => {
    const numberFormat = patternIn(value);
    return numberFormat === undefined ? {} : { numberFormat };
  },
};

const declaration = /([\w-]+)\s*:\s*((?:"(?:\\.|[^"\\])*"|\\.|[^;"\\])*)/gu;

function lookOfStyle(text: string): PastedLook {
  const looks = [...text.matchAll(declaration)].map(([, name = '', value = '']) =>
    readers[name.toLowerCase()]?.(value.trim()),
  );
  return Object.assign({}, ...looks) as PastedLook;
}

/** Colours of unformatted cells: black text on white. */
const usual: Readonly<Record<string, string>> = { color: '#000000', fill: '#FFFFFF' };

function lookOfColour(property: 'color' | 'fill', text: string | undefined): PastedLook {
  const colour = colourIn(text ?? '');
  return colour === undefined || colour === usual[property] ? {} : { [property]: colour };
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  '#39': "'",
  '#34': '"',
};

function unescaped(text: string): string {
  return text.replaceAll(/&(\w+|#\d+);/gu, (whole, name: string) => entities[name] ?? whole);
}
