import { useShell } from './context.ts';
import { useLoaded, type Loaded } from './loaded.ts';

export interface BranchNames extends Omit<Loaded<never>, 'value'> {
  /** Names; empty until they are loaded. */
  readonly names: readonly string[];
}

/** Loads the names of all branches of a workbook. */
export function useBranchNames(book: string): BranchNames {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}/branches`;
  const { value, error, again } = useLoaded(
    (signal) => service.ask<{ branches: readonly { name: string }[] }>(path, { signal }),
    [path],
  );
  return { names: value?.branches.map(({ name }) => name) ?? [], error, again };
}
