import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { RelativeTime } from '../shell/relative-time.tsx';

interface WriterParts {
  readonly book: string;
  readonly branch: string;
  /** Operations of the branch itself. */
  readonly head: number;
}

interface Last {
  readonly by: string;
  readonly at: string;
}

/** Person or agent who wrote last to a branch, and when. */
export function LastWriter({ book, branch, head }: WriterParts) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
  const { value } = useLoaded(
    async (signal) => {
      if (head === 0) return undefined;
      const query = `?before=${head + 1}&limit=1&payload=false`;
      return (await service.ask<{ ops: readonly Last[] }>(path + query, { signal })).ops[0];
    },
    [path, head],
  );
  if (!value) return null;
  return (
    <div class="quiet">
      {value.by} wrote last, <RelativeTime at={value.at} />
    </div>
  );
}
