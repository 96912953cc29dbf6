/** Columns of the table that is measured, and their types; the first one is the key. */
export const goodsColumns = {
  sku: 'text',
  region: 'text',
  name: 'text',
  price: 'number',
  count: 'integer',
  a: 'number',
  b: 'number',
  c: 'number',
  d: 'number',
  e: 'text',
} as const;

export const columnNames = Object.keys(goodsColumns);

export type GoodsRow = readonly (string | number)[];

export function goodsRow(at: number): GoodsRow {
  const price = ((at * 7) % 10_000) / 100;
  const numbers = [at % 100, at, at * 2, at % 7, at % 13];
  return [`k${at}`, `r${at % 50}`, `tea ${at % 1_000}`, price, ...numbers, `e${at % 20}`];
}

export function goodsCsv(rowCount: number): string {
  const lines = [columnNames.join(',')];
  for (let at = 0; at < rowCount; at++) lines.push(goodsRow(at).join(','));
  return lines.join('\n');
}

export const upsertedRows = 1_000;

export interface NewPrice {
  readonly sku: string;
  readonly price: number;
}

/** Returns the rows of an upsert: consecutive rows with new prices, which depend on `version`. */
export function newPrices(from: number, rowCount: number, version: number): NewPrice[] {
  return Array.from({ length: Math.min(upsertedRows, rowCount) }, (_, at) => {
    const row = (from + at) % rowCount;
    return { sku: `k${row}`, price: ((row + version) % 10_000) + 0.5 };
  });
}

/** A condition as Quire is asked it, and as SQL. */
export const question = {
  formula: 'AND([@price]>90,ISNUMBER(SEARCH("tea 1",[@name])))',
  sql: "price > 90 AND contains(name, 'tea 1')",
} as const;
