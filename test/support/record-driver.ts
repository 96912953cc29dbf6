import {
  headDigest,
  type SectionEntry,
  type SectionWriting,
  type StoredSection,
} from '../../server/state/structure/section.ts';
import { IdentityReader } from '../../server/state/cells/identity-reader.ts';
import { Records } from '../../server/state/records/records.ts';
import { viewRecords, type RecordView } from '../../server/state/records/record-view.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { drive, StateDriver } from './state-driver.ts';

/** A workbook with the sheets Plan and Lists, nothing in them. */
export function emptyBook(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('sheet.add', { name: 'Lists' });
  return driver;
}

export function viewsOf({ coding, records, structure }: BranchState): RecordView[] {
  return [...viewRecords({ records, structure, formulas: coding.formulas })];
}

/** Lists the records of a type as `range: value`, in the order of the view. */
export function listed({ state }: StateDriver, type: string): [string | null, unknown][] {
  return viewsOf(state)
    .filter((view) => view.type === type)
    .map(({ ranges, value }) => [ranges?.join(',') ?? null, value]);
}

export function places(driver: StateDriver, type: string): string[] {
  return listed(driver, type).map(([range]) => range ?? 'the sheet');
}

/**
 * Returns the faults of a state's records, given the state that the journal replays to; empty when
 * there are none.
 */
export function recordFaults(driver: StateDriver): string[] {
  const { state } = driver;
  const faults: string[] = [];
  const replayed = driver.replayed().state;
  if (entriesOf(replayed) !== entriesOf(state))
    faults.push(`a replay has other entries: ${entriesOf(replayed)} ${entriesOf(state)}`);
  if (drive(replayed.stateHash()) !== drive(state.stateHash())) faults.push('another hash');
  const named = [...state.records.structures(writingOf(state))];
  const structureOf = (digest: string) => {
    if (digest === headDigest) return state.structure;
    const structure = named.find((one) => one.digest === digest);
    if (!structure) throw new Error(`no structure ${digest}`);
    return structure;
  };
  const formulaOf = () => {
    throw new Error('no record has such a formula');
  };
  const reader = new IdentityReader(
    state.coding.dictionary,
    (id) => state.structure.withId(id)?.name,
  );
  const formulaAt: StoredSection['formulaAt'] = (identity, home) =>
    reader.read(identity, { ...home, count: 1 });
  const entries = JSON.parse(entriesOf(state)) as SectionEntry[];
  const loaded = Records.from({ entries, structureOf, formulaOf, formulaAt });
  const rewritten = JSON.stringify([...loaded.entries(writingOf(state))]);
  if (rewritten !== entriesOf(state)) faults.push('loaded differ');
  const again = viewRecords({
    structure: state.structure,
    records: loaded,
    formulas: state.coding.formulas,
  });
  if (JSON.stringify([...again]) !== JSON.stringify(viewsOf(state))) faults.push('views differ');
  if (JSON.stringify(loaded.counts()) !== JSON.stringify(state.records.counts())) {
    faults.push('counts differ');
  }
  return faults;
}

export function entriesOf(state: BranchState): string {
  return JSON.stringify([...state.records.entries(writingOf(state))]);
}

function writingOf({ structure, coding }: BranchState): SectionWriting {
  return { form: 'ids', structure, formulas: coding.formulas };
}
