import { writeInput } from '../../../server/model/input.ts';
import { daysSince1904, isDay, readEntered } from '../../../server/model/typed-input.ts';
import type { Service } from '../service.ts';

/** Where a text is typed; `ref` is a reference as the service takes it. */
export interface EnteredAt {
  readonly workbookId: string;
  readonly ref: string;
}

/** The first day that a workbook counts: 0 where it counts from 1904, 1462 where from 1900. */
const firstDay = '=DATE(1904,1,1)';

/**
 * Returns the input that a text stands for which is typed for a cell, as an operation takes it.
 * Only a day needs the service: it knows the year from which the workbook counts.
 */
export async function enteredInput(
  service: Service,
  { workbookId, ref }: EnteredAt,
  text: string,
): Promise<unknown> {
  const typed = readEntered(text, new Date().getFullYear());
  if (!isDay(typed)) return writeInput(typed.input);
  const { formulas } = await service.ask<{
    readonly formulas: readonly { readonly rows: readonly (readonly unknown[])[] }[];
  }>(`/v1/workbooks/${workbookId}/scenario`, { body: { ref, formulas: [{ formula: firstDay }] } });
  const is1904 = formulas[0]?.rows[0]?.[0] === 0;
  return writeInput((is1904 ? daysSince1904(typed, text) : typed).input);
}
