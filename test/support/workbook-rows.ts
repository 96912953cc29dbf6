import type { Sql } from '../../server/storage/postgres.ts';

/** Tables that may keep rows of a purged workbook: its metered usage, and the purge itself. */
const staying = ['usage_delta', 'purge'];

/** Rows of one workbook by table, of every table that names workbooks. */
export async function workbookRows(sql: Sql, workbookId: string): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.columns
     where column_name = 'workbook_id' and table_schema = 'public' order by 1`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    if (staying.includes(name)) continue;
    const [row] = await sql<{ count: number }[]>`
      select count(*) as count from ${sql(name)} where workbook_id = ${workbookId}`;
    if (row && row.count > 0) counts[name] = row.count;
  }
  return counts;
}
