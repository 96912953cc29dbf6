import { useEffect, useState } from 'preact/hooks';

import { positionText } from '../address.ts';
import { marksOf, type DiffPage } from '../diff/diff-page.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import type { SheetSession } from './sheet-session.ts';
import type { SheetAddress } from './use-grid.ts';

const entriesMost = 10_000;
/** Pause after which a changing branch is compared again. */
const restMs = 500;

/** Marks all cells that differ from another position, and explains the marks. */
export function Compared({ screen, session }: { screen: SheetAddress; session: SheetSession }) {
  const { service } = useShell();
  const { book, at, compare } = screen;
  const to = session.isHead ? positionText({ branch: at.branch }) : positionText(at);
  const [told, setTold] = useState<string>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    if (compare === undefined) return undefined;
    const abort = new AbortController();
    const load = async () => {
      const query = new URLSearchParams({ from: compare, to, limit: String(entriesMost) });
      query.set('kinds', 'cells');
      const path = `/v1/workbooks/${book}/diff?${query}`;
      const page = await service.ask<DiffPage>(path, { signal: abort.signal });
      session.mark(marksOf(page));
      setTold(tell(page));
    };
    const begin = () => {
      load().catch((fault: unknown) => {
        if (!abort.signal.aborted) setError(fault as Error);
      });
    };
    // Each typed cell makes a new head.
    const timer = setTimeout(begin, told === undefined ? 0 : restMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [book, compare, to, session.head]);
  useEffect(() => () => session.mark(new Map()), [compare]);
  if (compare === undefined) return null;
  const { compare: _former, ...plain } = screen;
  return (
    <div class="banner" role="status">
      <span>
        Marked: what differs from {compare}
        {told !== undefined && `: ${told}`}
      </span>
      <ScreenLink to={{ name: 'diff', book, from: compare, to }}>All of it as a list</ScreenLink>
      <ScreenLink to={plain}>No marks</ScreenLink>
      {error && <Fault error={error} />}
    </div>
  );
}

function tell({ summary, next }: DiffPage): string {
  const count = summary['cells'] ?? 0;
  const cells = count === 1 ? '1 cell' : `${count.toLocaleString()} cells`;
  return next === null ? cells : `${cells}, of which the first ${entriesMost.toLocaleString()}`;
}
