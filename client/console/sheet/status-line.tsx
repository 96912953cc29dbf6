import { cellCount, rangeName, type Range } from '../../../server/model/range.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { tally } from './search.ts';
import type { SheetSession } from './sheet-session.ts';

const stillMs = 150;

interface LineParts {
  readonly session: SheetSession;
  readonly ranges: readonly Range[];
}

/** Sum, average and count of the selected cells; a cell of two ranges counts twice. */
export function StatusLine({ session, ranges }: LineParts) {
  const { service } = useShell();
  const isOne = ranges.length === 1 && ranges.every((range) => cellCount(range) === 1);
  const { value } = useLoaded(
    async (signal) => {
      if (isOne || !session.sheet) return undefined;
      await new Promise((resolve) => setTimeout(resolve, stillMs));
      signal.throwIfAborted();
      return tally(service, session.source, ranges);
    },
    [ranges.map(rangeName).join(), session.source.ref, session.sheet?.name],
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
