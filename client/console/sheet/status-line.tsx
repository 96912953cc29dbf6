import { cellCount, type Range } from '../../../server/model/range.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { tally } from './search.ts';
import type { SheetSession } from './sheet-session.ts';

const stillMs = 150;

/** Sum, average and count of the selected cells. */
export function StatusLine({ session, range }: { session: SheetSession; range: Range }) {
  const { service } = useShell();
  const { row0, row1, column0, column1 } = range;
  const isOne = cellCount(range) === 1;
  const { value } = useLoaded(
    async (signal) => {
      if (isOne || !session.sheet) return undefined;
      await new Promise((resolve) => setTimeout(resolve, stillMs));
      signal.throwIfAborted();
      return tally(service, session.source, range);
    },
    [row0, row1, column0, column1, session.head, session.sheet?.name],
  );
  if (isOne || !value || value.count === 0) return null;
  const { count, sum, numbers } = value;
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

/** Sums of binary fractions carry digits that nobody wrote. */
function tidy(value: number): string {
  return Number(value.toPrecision(12)).toLocaleString(undefined, { maximumFractionDigits: 10 });
}
