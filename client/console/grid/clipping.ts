import type { Range } from '../../../server/model/range.ts';
import { clippedTo, type Clipping } from './clipboard.ts';
import type { CellEditor } from './editor.ts';
import type { GridEvents, GridShape } from './grid-events.ts';
import type { GridKeys } from './grid-keys.ts';
import { isOneCell } from './merged.ts';
import { rangeOfSelection, rangesOf, type Selection } from './selection.ts';
import type { GridSource } from './source.ts';

interface ClippedGrid {
  readonly editor: CellEditor;
  readonly source: GridSource;
  readonly events: GridEvents;
  readonly keys: GridKeys;
  readonly shape: () => GridShape;
  readonly selection: () => Selection;
}

/** Returns the clipboard handlers of a grid. */
export function clippingOf(grid: ClippedGrid): Clipping {
  const { editor, source, events, keys, shape, selection } = grid;
  const { onCopy, onCopied, loadTexts, onTell } = events;
  return {
    isTyping: () => editor.isOpen,
    ranges: () => {
      const clipped = (range: Range) => clippedTo(range, shape().used);
      const [range, ...also] = rangesOf(selection());
      return [clipped(range), ...also.map(clipped)];
    },
    source,
    markOf: (pieces, isCut) =>
      onCopy?.(pieces, isCut && events.lockedBecause() === undefined) ?? '',
    onText: (text) => onCopied?.(text),
    onTell: (sentence) => onTell?.(sentence),
    load: (range) => loadTexts?.(range) ?? Promise.reject(new Error('nothing can be loaded')),
    later: (act) => keys.later(act),
    onPaste: (pasted) => {
      if (events.lockedBecause() !== undefined) return;
      const isPlain = editor.takePlain();
      const { active } = selection();
      const isOne = isOneCell(selection(), source.records?.merged);
      const range = rangeOfSelection(isOne ? { active, other: active } : selection());
      const way = events.onPaste?.(range, { ...pasted, isPlain });
      if (way) keys.lead(way);
    },
  };
}
