import { writeInput } from '../../../server/model/input.ts';
import { daysSince1904, isDay, readEntered } from '../../../server/model/typed-input.ts';
import type { Service } from '../service.ts';

/** Cell for which a text is typed; `ref` is a reference of the service. */
export interface EnteredAt {
  readonly workbookId: string;
  readonly ref: string;
}

/** Formula for the first day of the workbook: 0 if it counts from 1904, 1462 if from 1900. */
const firstDay = '=DATE(1904,1,1)';

/**
 * Returns the input that a typed text means, for an operation. Only a date needs the service, which
 * knows the date system of the workbook.
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
