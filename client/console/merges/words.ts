const kinds: Readonly<Record<string, string>> = {
  'cell.value': 'both wrote to it',
  'cell.formula': 'both wrote to it',
  'tablerow.cell': 'both wrote to it',
  'cell.format': 'both changed how it looks',
  'row.property': 'both changed the row',
  'col.property': 'both changed the column',
  'sheet.property': 'both changed the sheet',
  'row.edit_delete': 'one wrote to a row that the other deleted',
  'col.edit_delete': 'one wrote to a column that the other deleted',
  'sheet.edit_delete': 'one wrote to a sheet that the other deleted',
  'table.edit_drop': 'one wrote to a table that the other deleted',
  'table.schema': 'both changed the columns of the table',
  'row.order': 'both moved the row',
  'col.order': 'both moved the column',
  'sheet.order': 'both moved the sheet',
  'sort.order': 'both sorted the rows',
  'range.move': 'both moved the cells',
  'sheet.rename': 'both renamed the sheet',
  'name.value': 'both changed the name',
  'name.collision': 'both made something of this name',
  'cell.note': 'both wrote a note',
  'rule.edit': 'both changed the rule',
  'style.edit': 'both changed the style',
  setting: 'both changed the setting',
  'effect.value': 'shows what it shows on neither branch',
  'effect.error': 'is an error that neither branch has',
  'effect.cycle': 'goes round in a circle, as on neither branch',
  'violation.validation': 'breaks a rule of the other branch',
  'violation.key': 'has a key that another row has',
  'violation.schema': 'does not fit its table any more',
  'range.merge_overlap': 'is hidden by merged cells of the other branch',
  'tablerow.edit_delete': 'one wrote to a row that the other deleted',
  'tablerow.insert_insert': 'both added a row under one key',
  'table.key': 'one changed the key, the other the rows',
};

/** Returns the kind of a conflict or an effect as a person says it. */
export function kindText(kind: string): string {
  return kinds[kind] ?? kind.replaceAll(/[._]/gu, ' ');
}

const states: Readonly<Record<string, string>> = {
  computing: 'being computed',
  conflicted: 'has conflicts',
  review: 'waits for review',
  approved: 'approved',
  outdated: 'a branch went on',
  merged: 'merged',
  aborted: 'given up',
};

const findings: Readonly<Record<string, string>> = {
  open: 'to be decided',
  noted: 'noted',
  accepted: 'accepted',
};

/** Returns the state of a finding as a person says it. */
export function findingText(status: string): string {
  return findings[status] ?? status;
}

const approvals: Readonly<Record<string, string>> = {
  approve: 'approved it',
  request_changes: 'asked for changes',
  comment: 'wrote',
};

/** Describes an approval, to follow a name. */
export function approvalText(event: string): string {
  return approvals[event] ?? event;
}

export function stateText(state: string): string {
  return states[state] ?? state;
}

const obstacles: Readonly<Record<string, string>> = {
  conflicts: 'conflicts that are open',
  units: 'parts that nobody has decided on',
  effects: 'what only the merge brings about',
  violations: 'rules that it would break',
  approvals: 'approvals of others',
  owners: 'the owners of what it changes',
  changes_requested: 'changes that somebody asked for',
  outdated: 'another look: a branch has gone on',
  behind: 'its source to have all of the target',
  checkpoint: 'its source to be a named version',
};

const events: Readonly<Record<string, string>> = {
  created: 'proposed it',
  refreshed: 'computed it anew',
  resolved: 'settled conflicts',
  regrouped: 'decided on its parts',
  approved: 'approved it',
  changes_requested: 'asked for changes',
  commented: 'wrote about it',
  applied: 'merged it',
  aborted: 'gave it up',
};

/** Describes an event of a merge, to follow a name. */
export function eventText(event: string): string {
  return events[event] ?? event.replaceAll('_', ' ');
}

/** Describes an obstacle of a merge, to follow "It waits for". */
export function obstacleText(name: string): string {
  return obstacles[name] ?? name.replaceAll('_', ' ');
}
