import type { Service } from '../service.ts';

/** Makes a workbook with one blank sheet; returns its id. */
export async function makeEmpty(service: Service): Promise<string> {
  const body = { sheets: [{ name: 'Sheet1' }] };
  return (await service.ask<{ id: string }>('/v1/workbooks', { body })).id;
}
