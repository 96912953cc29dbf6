import type { Service } from '../service.ts';

/** Removes a workbook for good: it is archived, which answers the token that a purge carries. */
export async function purgeBook(service: Service, book: string): Promise<void> {
  const path = `/v1/workbooks/${book}`;
  const { confirm } = await service.ask<{ confirm: string }>(path, { method: 'DELETE' });
  const query = new URLSearchParams({ purge: 'true', confirm });
  await service.ask(`${path}?${query}`, { method: 'DELETE' });
}
