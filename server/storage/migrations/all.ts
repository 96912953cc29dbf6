import { bookkeeping } from './0001-bookkeeping.ts';
import { identity } from './0002-identity.ts';
import { journal } from './0003-journal.ts';
import { history } from './0004-history.ts';
import { lifeCycle } from './0005-life-cycle.ts';
import { hotTail } from './0006-hot-tail.ts';
import { branchCount } from './0007-branch-count.ts';
import { transparencyLog } from './0008-transparency-log.ts';
import { merges } from './0009-merges.ts';
import { claims } from './0010-claims.ts';
import { collaborators } from './0011-collaborators.ts';
import { usage } from './0012-usage.ts';
import { sessions } from './0013-sessions.ts';
import { oauth } from './0014-oauth.ts';
import { packedChoices } from './0015-packed-choices.ts';
import { storedValues } from './0016-stored-values.ts';
import { branchLife } from './0017-branch-life.ts';
import { codeGuards } from './0018-code-guards.ts';
import { logTags } from './0019-log-tags.ts';
import { logPast } from './0020-log-past.ts';
import { keyHolders } from './0021-key-holders.ts';
import { knownNodes } from './0022-known-nodes.ts';
import { websocketTickets } from './0023-websocket-tickets.ts';
import { matches } from './0024-matches.ts';
import { webhooks } from './0025-webhooks.ts';
import { rejectedOperations } from './0026-rejected-operations.ts';
import { rowWrites } from './0027-row-writes.ts';
import { matchProviders } from './0028-match-providers.ts';
import { reconciliationLinks } from './0029-reconciliation-links.ts';
import { logTidied } from './0030-log-tidied.ts';
import { olderVersions } from './0031-older-versions.ts';
import { storeMark } from './0032-store-mark.ts';
import type { Migration } from './migration.ts';

/** Lists the steps of the schema in order. A new one goes last, with the next number. */
export const migrations: readonly Migration[] = [
  bookkeeping,
  identity,
  journal,
  history,
  lifeCycle,
  hotTail,
  branchCount,
  transparencyLog,
  merges,
  claims,
  collaborators,
  usage,
  sessions,
  oauth,
  packedChoices,
  storedValues,
  branchLife,
  codeGuards,
  logTags,
  logPast,
  keyHolders,
  knownNodes,
  websocketTickets,
  matches,
  webhooks,
  rejectedOperations,
  rowWrites,
  matchProviders,
  reconciliationLinks,
  logTidied,
  olderVersions,
  storeMark,
];
