import { useEffect, useState } from 'preact/hooks';

import type { Service } from '../service.ts';
import { useShell } from '../shell/context.ts';

interface ComputingParts {
  readonly book: string;
  /** Positions whose values are needed. */
  readonly ends: readonly string[];
  /** Called when somebody does not want to wait for values. */
  readonly onCancel: () => void;
}

interface Stats {
  readonly computation: {
    readonly state: string;
    readonly done: number;
    readonly total: number;
  } | null;
}

const lookEveryMs = 1_000;

/** Progress of the values that a comparison needs, with a way to do without them. */
export function Computing({ book, ends, onCancel }: ComputingParts) {
  const { service } = useShell();
  const [share, setShare] = useState<number>();
  useEffect(() => {
    const look = () => {
      // The comparison itself says what is wrong with the service.
      loadShare(service, book, ends).then(setShare, () => setShare(undefined));
    };
    look();
    const timer = setInterval(look, lookEveryMs);
    return () => clearInterval(timer);
  }, [book, ...ends]);
  const cancel = () => {
    onCancel();
    const paths = ends.map((end) => `/v1/workbooks/${book}/values?ref=${encodeURIComponent(end)}`);
    // Without values the comparison is the same whether the computations end or not.
    void Promise.allSettled(paths.map((path) => service.ask(path, { method: 'DELETE' })));
  };
  return (
    <div class="actions">
      <p role="status">The service calculates the values of both positions.</p>
      <progress aria-label="Calculated" {...(share !== undefined && { value: share })} />
      <button type="button" class="second" onClick={cancel}>
        Compare without values
      </button>
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
