import { foldName } from '../../server/model/names.ts';
import { formulaTokens, isExternal } from './formula-tokens.ts';
import type { NameElement } from './xlsx-names.ts';
import { decodeEscapes } from './xml-text.ts';

/** Scope of names that belong to the whole workbook. */
const wholeWorkbook = '';

/** Defined names that refer to another workbook, directly or by other names. */
export class ExternalNames {
  /** All names of the file, and the external ones among them, with their scopes. */
  readonly #known = new Set<string>();
  readonly #external = new Set<string>();

  /** `sheetNames` are the sheets of the file in their order. */
  constructor(elements: readonly NameElement[], sheetNames: readonly string[]) {
    const scopeOf = ({ attributes }: NameElement): string => {
      const local = attributes['localSheetId'];
      return local === undefined ? wholeWorkbook : (sheetNames[Number(local)] ?? wholeWorkbook);
    };
    const keyed = elements.map((element) => {
      const name = decodeEscapes(element.attributes['name'] ?? '');
      const scope = scopeOf(element);
      return { text: element.text, scope, key: keyOf(scope, name) };
    });
    for (const { key } of keyed) this.#known.add(key);
    const found = keyed.filter(({ text }) => isExternal(text)).map(({ key }) => key);
    if (found.length > 0) this.#spread(found, keyed);
  }

  has(scope: string | undefined, name: string): boolean {
    return this.#external.has(keyOf(scope ?? wholeWorkbook, name));
  }

  /** Returns whether a formula on a sheet uses one of them. */
  areUsedBy(text: string, sheet: string): boolean {
    if (this.#external.size === 0) return false;
    return this.#namedBy(text, sheet).some((key) => this.#external.has(key));
  }

  /** Adds names that use external names, until there are no more. */
  #spread(
    found: string[],
    keyed: readonly { readonly text: string; readonly scope: string; readonly key: string }[],
  ): void {
    const users = new Map<string, string[]>();
    for (const { text, scope, key } of keyed) {
      for (const used of this.#namedBy(text, scope)) {
        const known = users.get(used);
        if (known) known.push(key);
        else users.set(used, [key]);
      }
    }
    for (let key = found.pop(); key !== undefined; key = found.pop()) {
      if (this.#external.has(key)) continue;
      this.#external.add(key);
      found.push(...(users.get(key) ?? []));
    }
  }

  /** Returns the defined names in a formula, of its sheet or else of the workbook. */
  #namedBy(text: string, sheet: string): string[] {
    const tokens = formulaTokens(text);
    return tokens.flatMap((token, at) => {
      if (token.kind !== 'name') return [];
      const before = tokens[at - 1];
      const scope = before?.kind === 'sheet' ? sheetOf(before.text) : sheet;
      const keys = [keyOf(scope, token.text), keyOf(wholeWorkbook, token.text)];
      return keys.find((key) => this.#known.has(key)) ?? [];
    });
  }
}

function keyOf(scope: string, name: string): string {
  return `${foldName(scope)}!${foldName(name)}`;
}

/** Returns the name of a sheet prefix: `'My sheet'!` is `My sheet`. */
function sheetOf(prefix: string): string {
  const spelled = prefix.slice(0, -1);
  return spelled.startsWith("'") ? spelled.slice(1, -1).replaceAll("''", "'") : spelled;
}
