import type { Address } from '../../../server/model/address.ts';
import { holdsCell, parseSheetRange, type Range } from '../../../server/model/range.ts';
import { inputText } from './input-text.ts';
import type { SheetSession } from './sheet-session.ts';

/** Cells that take one of a list of values. */
export interface ChoiceList {
  readonly areas: readonly Range[];
  readonly items: readonly unknown[] | undefined;
  /** Formula of a range or a name, relative to the first cell. */
  readonly source: string | undefined;
}

export interface ValidationRecord {
  readonly ranges?: readonly string[];
  readonly value?: {
    readonly onInvalid?: string;
    readonly error?: { readonly text?: string };
    readonly rule?: {
      readonly type: string;
      readonly operator?: string;
      readonly formula1?: string | number;
      readonly formula2?: string | number;
      readonly items?: readonly unknown[];
      readonly source?: string;
      readonly dropdown?: boolean;
    };
  };
}

/** Returns the lists to offer in cells; not every rule has one. */
export function choicesOf(records: readonly ValidationRecord[]): readonly ChoiceList[] {
  return records.flatMap(({ ranges = [], value }): ChoiceList[] => {
    const rule = value?.rule;
    if (rule?.type !== 'list' || rule.dropdown === false) return [];
    const areas = ranges.flatMap((range) => parseSheetRange(range)?.areas ?? []);
    return [{ areas, items: rule.items, source: rule.source }];
  });
}

export function choiceAt(choices: readonly ChoiceList[], cell: Address): ChoiceList | undefined {
  return choices.find(({ areas }) => areas.some((area) => holdsCell(area, cell)));
}

/** Returns the texts of a list; for a range or a name they are loaded. */
export async function textsOfChoice(
  { service, source: { workbookId, sheet, ref } }: SheetSession,
  { items, source }: ChoiceList,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (items) return items.map(inputText);
  if (source === undefined) return [];
  const formula = `=TOCOL(${source.slice(1)},1)`;
  const path = `/v1/workbooks/${workbookId}/scenario`;
  const body = { ref, formulas: [{ formula, sheet }] };
  const answer = await service.ask<{
    readonly formulas: readonly { readonly rows: readonly (readonly unknown[])[] }[];
  }>(path, { body, signal });
  return (answer.formulas[0]?.rows ?? []).map(([value]) => inputText(value));
}
