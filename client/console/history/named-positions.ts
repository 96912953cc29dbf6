import type { Service } from '../service.ts';

/** A position that somebody has named. */
export interface NamedPosition {
  readonly branch: string;
  readonly seq: number;
  readonly name: string;
}

interface Commits {
  readonly commits: readonly {
    readonly branch: string;
    readonly seq: number;
    readonly tag: string | null;
    readonly message: string;
  }[];
}

/** Returns the named positions of a workbook on all of its branches. */
export async function loadNamedPositions(
  service: Service,
  book: string,
  signal?: AbortSignal,
): Promise<readonly NamedPosition[]> {
  const { commits } = await service.ask<Commits>(`/v1/workbooks/${book}/commits`, {
    ...(signal && { signal }),
  });
  return commits.map(({ branch, seq, tag, message }) => {
    return { branch, seq, name: message || tag || 'named' };
  });
}
