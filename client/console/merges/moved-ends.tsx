import { useEffect, useState } from 'preact/hooks';

import { positionText } from '../address.ts';
import { ScreenLink } from '../shell/link.tsx';
import type { MergeView } from './review.ts';

interface Ends {
  readonly source: MergeView['source'];
  readonly target: MergeView['target'];
}

/** Shows which branches moved since the merge was opened, and links to their changes. */
export function MovedEnds({ book, view }: { readonly book: string; readonly view: MergeView }) {
  const [seen, setSeen] = useState<Ends>(view);
  useEffect(() => setSeen(view), [view.id]);
  const moved = ([seen.source, seen.target] as const).flatMap((from, at) => {
    const to = [view.source, view.target][at] ?? from;
    return from.branch === to.branch && from.seq < to.seq ? [{ from, to }] : [];
  });
  if (moved.length === 0) return null;
  return (
    <p class="banner" role="status">
      Changed since you looked:{' '}
      {moved.map(({ from, to }) => (
        <span key={to.branch}>
          {to.branch} went on from {from.seq} to {to.seq},{' '}
          <ScreenLink to={{ name: 'diff', book, from: positionText(from), to: positionText(to) }}>
            see what came
          </ScreenLink>
          .{' '}
        </span>
      ))}
      <button type="button" class="second" onClick={() => setSeen(view)}>
        I have seen it
      </button>
    </p>
  );
}
