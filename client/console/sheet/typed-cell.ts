import { readTyped, type TypedInput } from '../../../server/model/typed-input.ts';
import type { CellStyle, ShownCell } from '../store/block-store.ts';

/** Returns how a text that was just typed shows until the service has calculated its cell. */
export function shownOf(typed: string, style: CellStyle | undefined): ShownCell {
  const { input } = readTyped(typed);
  const base = { text: typed, style, isStale: false };
  if (staysText(input, style)) return { ...base, kind: 'text' };
  if (input === null) return { ...base, text: '', kind: 'blank' };
  if (typeof input === 'number') return { ...base, kind: 'number' };
  if (typeof input === 'boolean') return { ...base, text: typed.toUpperCase(), kind: 'boolean' };
  if (typeof input === 'string') return { ...base, text: input, kind: 'text' };
  return 'error' in input ? { ...base, kind: 'error' } : { ...base, kind: 'text', isStale: true };
}

/** Returns whether a cell with the format of texts keeps what was typed as it is. */
function staysText(input: TypedInput['input'], style: CellStyle | undefined): boolean {
  if (style?.numberFormat !== '@' || input === null) return false;
  return typeof input !== 'object' || 'error' in input;
}
