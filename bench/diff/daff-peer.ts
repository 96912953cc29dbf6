import { hasPeer, requirePeer } from '../peers.ts';

type Cell = string | number | null;
export type Rows = readonly (readonly Cell[])[];

/** The part of daff that the bench uses; it has no types of its own, and may not be installed. */
interface Daff {
  TableView: new (rows: Rows) => object;
  CompareFlags: new () => object;
  TableDiff: new (alignment: object, flags: object) => { hilite(output: object): boolean };
  Merger: new (parent: object, local: object, remote: object, flags: object) => { apply(): number };
  compareTables(local: object, remote: object): { align(): object };
}

/** Loads daff; undefined if it is not installed. */
export function loadDaff(): Daff | undefined {
  return hasPeer('daff') ? (requirePeer('daff') as Daff) : undefined;
}

/** The table of differences. */
export function daffDiff(daff: Daff, from: Rows, to: Rows): unknown[][] {
  const [local, remote] = [new daff.TableView(from), new daff.TableView(to)];
  const alignment = daff.compareTables(local, remote).align();
  const output: unknown[][] = [];
  new daff.TableDiff(alignment, new daff.CompareFlags()).hilite(new daff.TableView(output as Rows));
  return output;
}

/** Merges theirs into the rows of ours; returns the number of conflicts that it wrote there. */
export function daffMerge(
  daff: Daff,
  { base, ours, theirs }: { readonly base: Rows; readonly ours: Rows; readonly theirs: Rows },
): number {
  const [parent, local, remote] = [base, ours, theirs].map((rows) => new daff.TableView(rows));
  if (!parent || !local || !remote) throw new Error('three tables were expected');
  return new daff.Merger(parent, local, remote, new daff.CompareFlags()).apply();
}
