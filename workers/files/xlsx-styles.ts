import { builtInFormat } from './number-formats.ts';
import type { WorkbookPool } from './sheet-cells.ts';
import { decodeEscapes } from './xml-text.ts';
import { readXml, type XmlAttributes } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

export interface CellStyles {
  /** Format index of the pool by style index. */
  readonly formats: readonly number[];
  /** Styles with a font, fill, border, alignment or protection of their own. */
  readonly decoratedCount: number;
}

/** The number format of each cell style; everything else of a style is not kept. */
export function readStyles(zip: ZipEntries, part: string, pool: WorkbookPool): CellStyles {
  const custom = new Map<number, string>();
  const formatIds: number[] = [];
  let decoratedCount = 0;
  let section = '';
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes, depth: number): void {
      if (depth === 2) section = name;
      if (depth !== 3) return;
      if (section === 'numFmts' && name === 'numFmt') {
        const code = decodeEscapes(attributes['formatCode'] ?? 'General');
        custom.set(Number(attributes['numFmtId']), code);
      } else if (section === 'cellXfs' && name === 'xf') {
        formatIds.push(Number(attributes['numFmtId'] ?? 0));
        if (isDecorated(attributes)) decoratedCount++;
      }
    },
  });
  const formats = formatIds.map((id) => pool.formatOf(formatCode(custom.get(id), id)));
  return { formats, decoratedCount };
}

function formatCode(custom: string | undefined, id: number): string {
  const code = custom ?? builtInFormat(id);
  // Writers spell General in their own case and LibreOffice writes an empty code for it.
  return code === '' || /^general$/i.test(code) ? 'General' : code;
}

function isDecorated(attributes: XmlAttributes): boolean {
  return ['fontId', 'fillId', 'borderId'].some((name) => Number(attributes[name] ?? 0) > 0);
}
