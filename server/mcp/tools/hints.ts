import type { Failure, FailureKey } from '../../model/failure.ts';
import { rejections, type RejectionCode } from '../../model/rejection.ts';

/** The next call to make, in terms of tools: the hints of failures name routes. */
const toolHints: Readonly<Partial<Record<FailureKey, string>>> = {
  notFound: 'workbook_list names the workbooks that you can see.',
  branchNotFound: 'branch {"action":"list"} names the branches; every workbook has main.',
  refNotFound: 'Leave ref out for the newest values; branch {"action":"list"} has the heads.',
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
  workbookArchived: 'Its owner restores it: POST /v1/workbooks/{id}/restore.',
  branchArchived: 'Write to another branch, or begin a new one with create_branch_from.',
  branchExists: 'Choose another name, or write to that branch.',
  policy:
    'Write to a branch of your own with create_branch_from, then merge it: merge {"action":"open"}.',
  rangeTooLarge: 'Ask for fewer columns or rows at a time.',
  unknownMember: 'tools/list has the arguments of every tool.',
  matchNotFound:
    'match_tables with left and right begins one; a match goes 30 days after it has ended.',
  pairNotFound: 'match_tables {"match_id"} has left_key and right_key of every row.',
  tooManyMatches: 'Wait for one to end: match_tables {"match_id"} tells how far it is.',
  badChoice: 'merge {"action":"show"} lists the conflicts, each with the choices it takes.',
  badUnit: 'merge {"action":"show"} lists the units.',
  baseAhead: 'branch {"action":"list"} has the head of each branch.',
  forbidden: 'Ask the owner of the workbook for another role.',
  planCap: 'account {"action":"usage"} has the caps; account {"action":"claim_start"} raises them.',
  otpCooldown: 'Wait, then ask for another code; the last one still counts.',
  noClaimInProgress: 'account {"action":"claim_start","email"} sends a code.',
  otpExpired: 'account {"action":"claim_start","email"} sends another code.',
  otpAttemptsExceeded: 'account {"action":"claim_start","email"} sends another code.',
};

/** The same for rejections of single operations, where their hints name routes or members. */
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
  // A hint of its own fits better than any of the code.
  return (hint === rejections[known] ? rejectionHints[known] : undefined) ?? hint;
}

/** Hints that name a route, which no tool can follow. */
const route = /\b(?:GET|POST|PUT|PATCH|DELETE)\b/;

export function hintFor({ key, hint, errors }: Failure): string | undefined {
  // The owner is nobody to ask where the owner cannot do it either.
  if (key === 'forbidden' && hint !== undefined && !route.test(hint)) return hint;
  if (toolHints[key] !== undefined) return toolHints[key];
  if (hint === undefined) return key === 'invalidRequest' ? toolHints.unknownMember : undefined;
  return rejectionHint(errors[0]?.code, hint);
}
