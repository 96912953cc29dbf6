import { useEffect, useState } from 'preact/hooks';

import type { Service } from '../service.ts';
import { useShell } from './context.ts';

interface ComputingParts {
  readonly book: string;
  /** Positions whose values are needed. */
  readonly ends: readonly string[];
  readonly told: string;
  /** Button for who does not want to wait for values. */
  readonly instead?: { readonly label: string; readonly run: () => void };
}

interface Stats {
  readonly computation: {
    readonly state: string;
    readonly done: number;
    readonly total: number;
  } | null;
}

const lookEveryMs = 1_000;

/** Progress of values that the service calculates, with a way to do without them. */
export function Computing({ book, ends, told, instead }: ComputingParts) {
  const { service } = useShell();
  const [share, setShare] = useState<number>();
  useEffect(() => {
    const look = () => {
      // The request for the values says what is wrong with the service.
      loadShare(service, book, ends).then(setShare, () => setShare(undefined));
    };
    look();
    const timer = setInterval(look, lookEveryMs);
    return () => clearInterval(timer);
  }, [book, ...ends]);
  const cancel = () => {
    instead?.run();
    const paths = ends.map((end) => `/v1/workbooks/${book}/values?ref=${encodeURIComponent(end)}`);
    // Without values the page is the same whether the computations end or not.
    void Promise.allSettled(paths.map((path) => service.ask(path, { method: 'DELETE' })));
  };
  return (
    <div class="actions">
      <p role="status">{told}</p>
      <progress aria-label="Calculated" {...(share !== undefined && { value: share })} />
      {instead && (
        <button type="button" class="second" onClick={cancel}>
          {instead.label}
        </button>
      )}
    </div>
  );
}

/** Returns the share of all cells that is calculated; undefined while nothing is told. */
async function loadShare(
  service: Service,
  book: string,
  ends: readonly string[],
): Promise<number | undefined> {
  const paths = ends.map(
    (end) => `/v1/workbooks/${book}/eval-stats?ref=${encodeURIComponent(end)}`,
  );
  const stats = await Promise.all(paths.map((path) => service.ask<Stats>(path)));
  const known = stats.flatMap(({ computation }) => computation ?? []);
  const total = known.reduce((sum, one) => sum + one.total, 0);
  const done = known.reduce((sum, one) => sum + one.done, 0);
  return total === 0 ? undefined : done / total;
}
