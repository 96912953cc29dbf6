import type { WireInput } from '../../model/input.ts';

type Row = readonly WireInput[];

/** A value as a model reads it in a line of text. */
export function cellText(value: WireInput): string {
  if (value === null) return '';
  if (typeof value === 'object') return value.error;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return String(value);
}

/** RFC 4180, with lines that end in a line feed. */
export function csvText(rows: readonly Row[]): string {
  return rows.map((row) => row.map((value) => quoted(cellText(value))).join(',')).join('\n');
}

function quoted(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table whose head are the letters of the columns, and whose first column the row numbers. */
export function markdownText(
  rows: readonly Row[],
  { columns, firstRow }: { readonly columns: readonly string[]; readonly firstRow: number },
): string {
  const lines = [
    `| | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '---').join('|')}|`,
    ...rows.map((row, index) => {
      const cells = row.map((value) =>
        cellText(value)
          .replaceAll(/[\r\n]+/g, ' ')
          .replaceAll('|', '\\|'),
      );
      return `| ${firstRow + index} | ${cells.join(' | ')} |`;
    }),
  ];
  return lines.join('\n');
}

type ColumnType = 'number' | 'text' | 'boolean' | 'error' | 'mixed' | 'empty';

/** Returns the type of each column whose values are all of one type. */
export function columnTypes(rows: readonly Row[]): ColumnType[] {
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, column) => {
    const types = new Set(rows.map((row) => typeOf(row[column] ?? null)));
    types.delete('empty');
    const [only = 'empty', ...more] = types;
    return more.length > 0 ? 'mixed' : only;
  });
}

function typeOf(value: WireInput): ColumnType {
  if (value === null) return 'empty';
  if (typeof value === 'object') return 'error';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'text';
}
