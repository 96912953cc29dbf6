import type { Failure, FailureKey } from '../../model/failure.ts';
import { rejections, type RejectionCode } from '../../model/rejection.ts';

/** The next call to make, in terms of tools: the hints of failures name routes. */
const toolHints: Readonly<Partial<Record<FailureKey, string>>> = {
  notFound: 'workbook_list names the workbooks that you can see.',
  branchNotFound: 'branch {"action":"list"} names the branches; every workbook has main.',
  refNotFound:
    'branch {"action":"list"} has the branches and their heads; history lists positions.',
  invalidReference:
    'Write a branch such as main, a position such as main@42, commit:<tag> or merge:<id>.',
  tableNotFound: 'workbook_describe names the tables and their columns.',
  sheetNotFound: 'workbook_describe names the sheets.',
  mergeNotFound: 'merge {"action":"show"} without merge_id lists the merges.',
  mergeClosed: 'merge {"action":"show"} tells what became of it; open another one.',
  nothingToMerge: 'The target has all of it. Write to the source first.',
  conflictsOpen: 'merge {"action":"resolve"} settles conflicts: each lists the choices it takes.',
  staleRevision: 'merge {"action":"show"} has the newest revision; decide anew.',
  digestMismatch: 'merge {"action":"show"} has the newest digest; look at what changed.',
  headMoved: 'Read again, look at what changed, and send the new head as expect_head.',
  workbookArchived: 'No tool restores it; its owner does: POST /v1/workbooks/{id}/restore.',
  branchArchived: 'Write to another branch, or begin a new one with create_branch_from.',
  branchExists: 'Choose another name, or write to that branch.',
  policy:
    'Write to a branch of your own with create_branch_from, then merge it: merge {"action":"open"}.',
  branchReserved: 'Write to another branch: the owner of the workbook sets its policy.',
  rangeTooLarge: 'Ask for fewer columns or rows at a time.',
  unknownMember: 'tools/list has the arguments of every tool.',
  matchNotFound:
    'match_tables with left and right begins one; a match goes 30 days after it has ended.',
  pairNotFound: 'match_tables {"match_id"} has left_key and right_key of every row.',
  tooManyMatches: 'Wait for one to end: match_tables {"match_id"} tells how far it is.',
  badChoice: 'merge {"action":"show"} lists the conflicts, each with the choices it takes.',
  badUnit: 'merge {"action":"show"} lists the units.',
  unitsPending:
    'merge {"action":"show"} lists the units; no tool decides on them, the console does.',
  notApprover: 'Ask one of them to approve it.',
  selfApproval: 'Ask somebody else to approve it.',
  tableRefused: 'ops_submit names a key column first: {"kind":"table.key.change"}.',
  evaluationFailed:
    'range_read with lens formula shows the formulas; ops_submit takes the last change back, by undo.',
  providerNotConfigured: 'Leave the provider out of opts, or take local, which is always there.',
  pairTaken: 'Match anew with opts {"assignment":"many-to-many"}.',
  matchNotDone: 'match_tables {"match_id"} tells how far it is, and waits for it.',
  tagTaken: 'Choose another tag.',
  tableInUse: 'Change what names it first.',
  staleVersion: 'Read the settings again and decide anew.',
  storageDamaged: 'The operator of the service mends it from a backup.',
  internal: 'Try again; if it stays, report the request_id.',
  baseAhead: 'branch {"action":"list"} has the head of each branch.',
  forbidden: 'Ask the owner of the workbook for another role.',
  planCap: 'account {"action":"usage"} has the caps; account {"action":"claim_start"} raises them.',
  otpCooldown: 'Wait, then ask for another code; the last one still counts.',
  noClaimInProgress: 'account {"action":"claim_start","email"} sends a code.',
  otpExpired: 'account {"action":"claim_start","email"} sends another code.',
  otpAttemptsExceeded: 'account {"action":"claim_start","email"} sends another code.',
};

/** Hints for rejections of single operations, where those of HTTP name routes or members. */
const rejectionHints: Readonly<Partial<Record<RejectionCode, string>>> = {
  sheet_not_found: 'workbook_describe names the sheets.',
  name_not_found: 'workbook_describe names the names that are defined.',
  style_not_found: 'Define the style first, with style.define.',
  too_many_cells:
    'Clear cells, or claim the agent: account {"action":"usage"} has the caps, account {"action":"claim_start"} raises them.',
  table_not_found: 'workbook_describe names the tables and their columns.',
  column_not_found: 'workbook_describe names the tables and their columns.',
  key_not_found: 'Read the rows again, or leave such keys out: on_missing "ignore" of table_write.',
  record_not_found: 'The answer to the call that made it has its id, in made.',
  bad_setting: 'The resource doc://operations has the settings there are, at settings.set.',
  wrong_branch: 'Write to another branch.',
  sort_needs_values:
    'Read the values by range_read, sort the rows, and send their numbers as order.',
  copy_needs_values: 'Read the values by range_read and write them by range_write.',
  base_too_old: 'Read again and send the position read as base_seq.',
  operation_not_found: 'history lists the operations of the branch.',
  precondition_failed: 'Read the cell again and decide anew.',
  target_deleted: 'What it wrote to was deleted after base_seq: read again and decide anew.',
  conflict: 'Someone changed the same cells after base_seq: read again and decide anew.',
};

/** The next call after an operation was rejected, in terms of tools. */
export function rejectionHint(code: string | undefined, hint: string): string {
  const known = code as RejectionCode;
  // A specific hint is better than that of the code.
  return (hint === rejections[known] ? rejectionHints[known] : undefined) ?? hint;
}

/** Hints whose code alone does not tell what comes next, by what they say. */
const routeHints: readonly (readonly [RegExp, string])[] = [
  [/maxBranches/, 'branch {"action":"archive"} takes one off the list, which makes room.'],
  [/\/settings\b/, 'The owner of the workbook sets its policy.'],
  [/for its tables/, 'workbook_describe names the tables and their columns.'],
  [/values=true/, 'Leave values out, or read the values of both sides by range_read.'],
  [
    /first of the month/,
    'account {"action":"usage"} has the caps; operations count anew from the first of the month (UTC).',
  ],
];

/** Words of REST, and the arguments that say the same in a tool that has them. */
const argumentOf: Readonly<Record<string, string>> = {
  baseSeq: 'base_seq',
  expectHead: 'expect_head',
  'If-Match': 'expect_head',
  'Idempotency-Key': 'idempotency_key',
  onInvalid: 'on_invalid',
  onMissing: 'on_missing',
};

const restWord = new RegExp(`"[^"]*"|\\b(?:${Object.keys(argumentOf).join('|')})\\b`, 'g');

/** Replaces members of REST in a text by arguments of the tool, except in quotes. */
export function inArguments(text: string, names: ReadonlySet<string>): string {
  const said = text.replaceAll(restWord, (word) => {
    const argument = argumentOf[word];
    return argument !== undefined && names.has(argument) ? argument : word;
  });
  return said.replace(/^The body\b/, 'The call');
}

/** Texts that name a route, a header or a query, which no tool can follow. */
const rest =
  /\b(?:GET|POST|PUT|PATCH|DELETE)\b|\/v1\/|\bIf-Match\b|\bETag\b|[?&]\w+=|\b\w+=\w|\b(?:protectedBranches|ifUnused|requestId)\b/;

/** The next call after a failure, in terms of a tool with these arguments. */
export function hintFor(
  { key, hint, errors: [first] }: Pick<Failure, 'key' | 'hint' | 'errors'>,
  names: ReadonlySet<string>,
): string | undefined {
  const ofKey = toolHints[key] ?? (key === 'invalidRequest' ? toolHints.unknownMember : undefined);
  if (hint === undefined) return ofKey;
  const own = inArguments(rejectionHint(first?.code, hint), names);
  // A specific hint is better than that of the code.
  if (!rest.test(own)) return own;
  return routeHints.find(([said]) => said.test(own))?.[1] ?? ofKey ?? toolHints.unknownMember;
}
