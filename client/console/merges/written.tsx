import { parsePosition } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { RelativeTime } from '../shell/relative-time.tsx';
import type { ConflictSide } from './review.ts';

interface WrittenParts {
  readonly side: ConflictSide;
  /** Workbook, of the current conflict; the time is not loaded for others. */
  readonly book: string | undefined;
}

/** Says who wrote a side, with which client, in which operation and when. */
export function Written({ side: { by, writer, at }, book }: WrittenParts) {
  const isOther = writer !== undefined && writer !== by && !writer.startsWith('console-');
  return (
    <span class="quiet">
      by {by}
      {isOther && ` with ${writer}`}
      {at !== undefined && ', '}
      {at !== undefined &&
        (book === undefined ? (
          at
        ) : (
          <>
            <ScreenLink to={{ name: 'sheet', book, at: parsePosition(at) }}>{at}</ScreenLink>
            <Time book={book} at={at} />
          </>
        ))}
    </span>
  );
}

interface DonePage {
  readonly ops: readonly { readonly at: string }[];
}

/** Time of an operation, once it is loaded. */
function Time({ book, at }: { readonly book: string; readonly at: string }) {
  const { service } = useShell();
  const { value } = useLoaded(
    async (signal) => {
      const { branch, seq = 0 } = parsePosition(at);
      const query = new URLSearchParams({ after: String(seq - 1), limit: '1', payload: 'false' });
      const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops?${query}`;
      return (await service.ask<DonePage>(path, { signal })).ops[0]?.at;
    },
    [book, at],
  );
  return value === undefined ? null : (
    <>
      , <RelativeTime at={value} />
    </>
  );
}
