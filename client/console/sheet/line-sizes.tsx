import { useState } from 'preact/hooks';

import { columnName } from '../../../server/model/address.ts';
import { operationLimits } from '../../../server/model/operation-limits.ts';
import type { LineSpan } from '../grid/pointer.ts';
import { rangesOf, type Selection } from '../grid/selection.ts';
import { Dialog } from '../shell/dialog.tsx';
import type { Lines } from './command.ts';
import { kindOfLines, resizeLines, spanPayload } from './line-places.ts';
import type { SheetSession } from './sheet-session.ts';

const leastPx = 4;

interface SizeParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  readonly lines: Lines;
  readonly onClose: () => void;
}

/** Dialog for the height of the selected rows, or the width of the selected columns. */
export function LineSizes({ session, selection, lines, onClose }: SizeParts) {
  const spans = rangesOf(selection).map(({ row0, row1, column0, column1 }) =>
    lines === 'rows' ? { first: row0, last: row1 } : { first: column0, last: column1 },
  );
  const known = session.shape?.[lines].sizeOf(spans[0]?.first ?? 0) ?? 0;
  const [typed, setTyped] = useState(String(known));
  const px = Number(typed);
  const isPossible = px >= leastPx && px <= operationLimits.linePixels;
  const measure = lines === 'rows' ? 'Height' : 'Width';
  const label = `${measure} of ${spans.map((span) => spanName(lines, span)).join(', ')}`;
  const fit = () =>
    session.apply(
      kindOfLines(lines, 'size'),
      ...spans.map((span) => ({ ...spanPayload(lines, span), auto: true })),
    );
  return (
    <Dialog label={label} onClose={onClose}>
      {(close) => (
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            const sizes = spans.map((span) => ({ ...span, px }));
            if (isPossible) resizeLines(session, lines, sizes);
            if (isPossible) close();
          }}
        >
          <label>
            {label}, in pixels
            <input
              type="number"
              autoFocus
              min={leastPx}
              max={operationLimits.linePixels}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
          <p class="actions">
            <button type="submit" class="main" disabled={!isPossible}>
              Set it
            </button>
            <button
              type="button"
              class="second"
              onClick={() => {
                fit();
                close();
              }}
            >
              {lines === 'rows' ? 'As high as needed' : 'As wide as usual'}
            </button>
          </p>
        </form>
      )}
    </Dialog>
  );
}

/** Returns lines as people name them: `row 3`, `columns B to D`. */
function spanName(lines: Lines, { first, last }: LineSpan): string {
  const name = (index: number) => (lines === 'rows' ? String(index + 1) : columnName(index));
  const kind = lines === 'rows' ? 'row' : 'column';
  return first === last ? `${kind} ${name(first)}` : `${kind}s ${name(first)} to ${name(last)}`;
}
