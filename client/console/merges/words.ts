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
};

/** Returns the kind of a conflict or an effect as a person says it. */
export function kindText(kind: string): string {
  return kinds[kind] ?? kind.replaceAll(/[._]/gu, ' ');
}

const states: Readonly<Record<string, string>> = {
  computing: 'being computed',
  conflicted: 'has conflicts',
  review: 'waits for review',
  ready: 'can be merged',
};

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
