import { Pace } from '../../branches/pace.ts';
import type { Place } from '../../branches/place.ts';
import { changesLink, described, type ComparedStates } from '../../diffs/diffs.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { diffStates } from '../../state/diff/diff.ts';
import { Membership } from '../../state/outcome/units/membership.ts';
import { missingRequirements, type MissingRequirement } from '../../state/outcome/units/report.ts';
import { fittingDiff } from '../../state/outcome/units/unit-diff.ts';
import type { UnitGroup } from '../../state/outcome/units/unit.ts';
import type { Position } from '../graph.ts';
import type { OpenLook } from '../look.ts';
import { mergeInput, type MergeComputer } from '../merge-computer.ts';

interface UnitChangeParts {
  readonly computer: Pick<MergeComputer, 'authorsFor'>;
  readonly environment: Environment;
}

/** The changes of the source of a merge, by the units that they are in. */
export class UnitChanges {
  readonly #parts: UnitChangeParts;

  constructor(parts: UnitChangeParts) {
    this.#parts = parts;
  }

  /** Finds dependencies that a grouping of the source's changes would split. */
  async missing(look: OpenLook, groups: readonly UnitGroup[]): Promise<MissingRequirement[]> {
    const { base, theirs } = look.outcome;
    const authors = await this.#authorsOf(look, groups);
    const pace = new Pace(this.#parts.environment);
    const diff = await pace.run(diffStates({ from: base, to: theirs }));
    return pace.run(missingRequirements(groups, diff, { base, theirs, authors }));
  }

  /** Compares the source with the base, as far as its changes are in one unit. */
  async of(look: OpenLook, unit: string): Promise<ComparedStates> {
    const { base, theirs, units, bases } = look.outcome;
    if (!units.some(({ id }) => id === unit)) throw unknownUnit(look, unit);
    const authors = await this.#authorsOf(look, units);
    const membership = new Membership(units, { base, theirs, authors });
    const pace = new Pace(this.#parts.environment);
    const whole = await pace.run(diffStates({ from: base, to: theirs }));
    const diff = await pace.run(fittingDiff(whole, (one) => membership.unitOf(one) === unit));
    const { sourceNo: no, sourceSeq: seq, workbookId } = look.record;
    const to = placeAt(look, { no, seq });
    const [first] = bases;
    const from = first ? placeAt(look, first) : to;
    const { branchNo } = from.address;
    const common = { branchNo, branch: from.branch, seq: from.seq };
    const compared = { from, to, relation: 'ahead' as const, base: common, diff };
    return described({ ...compared, values: undefined }, (table) =>
      changesLink(workbookId, table, { from, to }),
    );
  }

  #authorsOf(look: OpenLook, units: readonly UnitGroup[]) {
    const asked = { ...look, record: { ...look.record, units } };
    return this.#parts.computer.authorsFor(mergeInput(asked, look.policy));
  }
}

function placeAt({ record, names }: OpenLook, { no, seq }: Position): Place {
  const address = { workbookId: record.workbookId, branchNo: no };
  return { address, branch: names.nameOf(no), seq, isPinned: true };
}

function unknownUnit({ outcome }: OpenLook, unit: string): Failure {
  const known = outcome.units.slice(0, 20).map(({ id }) => id);
  return new Failure('badUnit', {
    detail: `The merge has no unit ${unit.slice(0, 100)}.`,
    hint: `Its units are: ${known.join(', ')}.`,
    errors: [{ pointer: '?unit', code: 'bad_unit', message: 'There is no unit of this id.' }],
  });
}
