/** Parameters that many routes have, for the reference. A route's own description goes first. */
export const parameterWords: Readonly<Record<string, string>> = {
  branch: 'Name of a branch, such as `main`',
  code: 'Code of an error or of a rejected operation',
  format: 'Form of the answer; the values are listed',
  from: 'The older of two positions or sizes',
  id: 'Id of a workbook: `wb_…`',
  include: 'Further things to list',
  lens: '`value` computed, `formula` as written, `input` as cells.set takes it',
  limit: 'Items of a page, at most',
  mid: 'Id of a merge: `mrg_…`',
  name: 'Name of a new workbook that comes as a file',
  namespace: 'Namespace of a new workbook; default the own one',
  offset: 'Items to leave out before the page',
  rest: 'Level and index of a tile, as C2SP tlog-tiles spells them',
  status: 'Which of them: the values are listed',
  tid: 'Id or name of a table',
  to: 'The newer of two positions or sizes',
  webhook: 'Id of a webhook: `whk_…`',
  user: 'Id of a user: `usr_…` or `agt_…`',
};

/** The groups of routes. */
export const tagWords: Readonly<Record<string, string>> = {
  Account: 'What an account uses, and what its plan allows.',
  Collaborators: 'Who may do what in a workbook.',
  Webhooks: 'Addresses that are told what happens in a workbook.',
  Health: 'Whether the service is alive and ready, and its metrics.',
  Identity: 'Keys for agents, and how a person claims an agent.',
  'Journal, state and branches':
    'Write operations, read the journal and the state, fork branches, commit.',
  Matching: 'Join two columns by what they mean: ask, decide, write to a branch.',
  'Merges and diff': 'Take the changes of a branch into another one: propose, resolve, approve.',
  Collaboration: 'Edit a branch together over a websocket: docs/protocol.md has every message.',
  OAuth: 'Access for applications that act for a person.',
  Reading: 'Values, formulas, looks, records, blame and differences of any position.',
  Reference: 'This API, its errors and its documentation.',
  'Settings, maintenance, lifecycle': 'Policy, archive, restore, purge, verify.',
  Site: 'Pages for people.',
  Tables: 'Keyed rows.',
  'Model Context Protocol': 'The same for language models: tools, resources and prompts.',
  'Transparency log': 'The public log: checkpoints, tiles and proofs.',
  Workbooks: 'Create, list, rename and find workbooks.',
};
