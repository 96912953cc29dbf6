import { actorIn } from '../branches/policies.ts';
import type { Actor } from '../model/protection.ts';
import type { Principal } from '../model/scope.ts';
import type { WorkbookFacts } from '../workbooks/registry.ts';
import { approvalState, isMerger, protectionFor, sourceFaults } from './approval.ts';
import { isBlocking, type Findings } from './findings/findings.ts';
import type { OpenLook } from './look.ts';
import type { UnitReport } from '../state/outcome/units/report.ts';

/** Returns whether a merge can be applied by an actor, or by somebody whom the policy binds. */
export function isApplicable(look: OpenLook, findings: Findings, actor?: Actor): boolean {
  const { record, outcome, isOutdated } = look;
  const isSettled = [...outcome.conflicts.values()].every((conflict) => conflict.isSettled);
  const protection = protectionFor(look, actor);
  const { isSatisfied } = approvalState(record.approvals, protection, outcome);
  const isOpen = findings.list.some(isBlocking) || undecided({ outcome }).length > 0;
  const isReady = sourceFaults(look, protection).length === 0;
  return isSettled && isSatisfied && !isOutdated && !isOpen && isReady;
}

/** Returns whether an actor may apply a merge now. */
export async function canApply(
  look: OpenLook,
  { facts, principal }: { readonly facts: WorkbookFacts; readonly principal: Principal },
): Promise<boolean> {
  const actor = actorIn(facts, principal);
  if (!isMerger(protectionFor(look, actor), actor)) return false;
  return isApplicable(look, await look.findings, actor);
}

/** Finds units that are not empty and not decided. */
export function undecided({ outcome }: Pick<OpenLook, 'outcome'>): readonly UnitReport[] {
  return outcome.units.filter(({ decision, changes }) => decision === 'pending' && changes > 0);
}
