/** First path segments under /v1 that can never be an owner's name. */
export const reservedOwners: ReadonlySet<string> = new Set(
  'workbooks reconciliation tlog account problems docs health mcp oauth2 agent admin api me'.split(
    ' ',
  ),
);
