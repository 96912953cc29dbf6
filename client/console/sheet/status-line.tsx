import { useState } from 'preact/hooks';

import { cellCount, rangeName, type Range } from '../../../server/model/range.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { countOf, talliedMost, tally, tallyThere, type Tally } from './search.ts';
import type { SheetSession } from './sheet-session.ts';

const stillMs = 150;

interface LineParts {
  readonly session: SheetSession;
  readonly ranges: readonly Range[];
}

/** Sum, average and count of the selected cells; cells in two ranges count twice. */
export function StatusLine({ session, ranges }: LineParts) {
  const { service } = useShell();
  const { ref } = session.source;
  const isOne = ranges.length === 1 && ranges.every((range) => cellCount(range) === 1);
  const count = countOf(ranges);
  const isMuch = count > talliedMost;
  const selected = `${ranges.map(rangeName).join()} ${ref} ${session.sheet?.name}`;
  const [asked, ask] = useState<string>();
  const isAsked = asked === selected;
  const { value, error } = useLoaded(
    async (signal) => {
      if (isOne || !session.sheet || (isMuch && !isAsked)) return undefined;
      if (isMuch) return tallyThere(service, session.source, { ranges, signal });
      await new Promise((resolve) => setTimeout(resolve, stillMs));
      signal.throwIfAborted();
      return tally(service, session.source, ranges);
    },
    [selected, isAsked],
  );
  if (isMuch && !value) {
    return (
      <span class="tally" role="status">
        {isAsked && !error ? (
          'Adding up …'
        ) : (
          <button type="button" class="second" onClick={() => ask(selected)}>
            Add up {count.toLocaleString()} cells
          </button>
        )}
        {isAsked && error && ` ${error.message}`}
      </span>
    );
  }
  return isOne || !value || value.count === 0 ? null : <Told tally={value} />;
}

function Told({ tally: { count, sum, numbers } }: { readonly tally: Tally }) {
  return (
    <span class="tally" role="status">
      {numbers > 0 && (
        <>
          Sum <strong>{tidy(sum)}</strong> · Average <strong>{tidy(sum / numbers)}</strong> ·{' '}
        </>
      )}
      Count <strong>{count.toLocaleString()}</strong>
    </span>
  );
}

/** Rounds off the noise that sums of binary fractions have. */
function tidy(value: number): string {
  return Number(value.toPrecision(12)).toLocaleString(undefined, { maximumFractionDigits: 10 });
}
