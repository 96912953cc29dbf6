import { readTyped, staysText, textPattern } from '../../../server/model/typed-input.ts';
import type { CellStyle, ShownCell } from '../store/block-store.ts';

/** Returns how a typed text looks until the service has calculated its cell. */
export function shownOf(typed: string, style: CellStyle | undefined): ShownCell {
  const { input } = readTyped(typed);
  const base = { text: typed, style, isStale: false };
  if (style?.numberFormat === textPattern && staysText(input)) return { ...base, kind: 'text' };
  if (input === null) return { ...base, text: '', kind: 'blank' };
  if (typeof input === 'number') return { ...base, kind: 'number' };
  if (typeof input === 'boolean') return { ...base, text: typed.toUpperCase(), kind: 'boolean' };
  if (typeof input === 'string') return { ...base, text: input, kind: 'text' };
  return 'error' in input ? { ...base, kind: 'error' } : { ...base, kind: 'text', isStale: true };
}
