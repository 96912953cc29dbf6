import type { Failure, FailureKey } from '../../model/failure.ts';

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
  forbidden: 'Ask the owner of the workbook for another role.',
  planCap: 'account {"action":"usage"} has the caps; account {"action":"claim_start"} raises them.',
  otpCooldown: 'Wait, then ask for another code; the last one still counts.',
  noClaimInProgress: 'account {"action":"claim_start","email"} sends a code.',
  otpExpired: 'account {"action":"claim_start","email"} sends another code.',
  otpAttemptsExceeded: 'account {"action":"claim_start","email"} sends another code.',
};

export function hintFor({ key, hint }: Failure): string | undefined {
  return toolHints[key] ?? hint ?? (key === 'invalidRequest' ? toolHints.unknownMember : undefined);
}
