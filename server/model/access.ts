/**
 * The roles of a principal in a workbook. A person is also the owner of what their linked agents
 * own.
 */
export const roles = ['owner', 'editor', 'reviewer', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** The roles that an owner can give, the highest first. */
export const givenRoles = ['editor', 'reviewer', 'viewer'] as const satisfies readonly Role[];

/** Actions on a workbook, as far as the right to them goes. */
export type Action =
  | 'create'
  | 'read'
  | 'write'
  | 'branch'
  | 'approve'
  | 'leave'
  | 'settings'
  | 'archive'
  | 'place'
  | 'develop';

/**
 * The roles allowed for each action. A principal without a role gets the answer of a workbook that
 * does not exist.
 */
export const rolesFor: Readonly<Record<Action, readonly Role[]>> = {
  // A new workbook has no roles yet.
  create: roles,
  read: roles,
  write: ['owner', 'editor'],
  branch: ['owner', 'editor', 'reviewer'],
  // The policy of the workbook may ask for more.
  approve: ['owner', 'editor', 'reviewer'],
  // The handler lets everybody go, and the owner send away.
  leave: roles,
  settings: ['owner'],
  archive: ['owner'],
  place: ['owner'],
  develop: ['owner'],
};

const workbook = '/v1/workbooks/:id';

/** The action of each route of a workbook; a missing route is for the owner only. */
export const routeActions: Readonly<Record<string, Action>> = {
  [`GET ${workbook}`]: 'read',
  [`PATCH ${workbook}`]: 'settings',
  // A purge needs the scope account besides.
  [`DELETE ${workbook}`]: 'archive',
  [`POST ${workbook}/restore`]: 'archive',
  [`GET ${workbook}/settings`]: 'read',
  [`PUT ${workbook}/settings`]: 'settings',
  [`GET ${workbook}/collaborators`]: 'read',
  [`PUT ${workbook}/collaborators/:user`]: 'settings',
  [`DELETE ${workbook}/collaborators/:user`]: 'leave',
  [`POST ${workbook}/wake`]: 'read',
  // Describing is reading; the handler asks for `place` when something is to move.
  [`POST ${workbook}/topology`]: 'read',
  [`POST ${workbook}/verify`]: 'read',
  [`GET ${workbook}/branches`]: 'read',
  [`POST ${workbook}/branches`]: 'branch',
  [`DELETE ${workbook}/branches/:branch`]: 'write',
  [`POST ${workbook}/branches/:branch/restore`]: 'write',
  [`POST ${workbook}/branches/:branch/flush`]: 'place',
  [`POST ${workbook}/branches/:branch/commit`]: 'write',
  [`POST ${workbook}/branches/:branch/checkpoint`]: 'place',
  [`POST ${workbook}/branches/:branch/ops`]: 'write',
  [`GET ${workbook}/branches/:branch/ops`]: 'read',
  [`GET ${workbook}/branches/:branch/state`]: 'read',
  [`GET ${workbook}/branches/:branch/events`]: 'read',
  [`GET ${workbook}/branches/:branch/export`]: 'read',
  [`POST ${workbook}/branches/:branch/tables`]: 'write',
  [`POST ${workbook}/branches/:branch/tables/:tid/rows`]: 'write',
  [`GET ${workbook}/row-writes/:wid`]: 'read',
  [`DELETE ${workbook}/row-writes/:wid`]: 'write',
  [`PATCH ${workbook}/branches/:branch/tables/:tid`]: 'write',
  [`DELETE ${workbook}/branches/:branch/tables/:tid`]: 'write',
  [`GET ${workbook}/tables`]: 'read',
  [`GET ${workbook}/tables/:tid`]: 'read',
  [`GET ${workbook}/tables/:tid/rows`]: 'read',
  [`GET ${workbook}/tables/:tid/changes`]: 'read',
  [`GET ${workbook}/commits`]: 'read',
  [`GET ${workbook}/formats`]: 'read',
  [`GET ${workbook}/edge`]: 'read',
  [`GET ${workbook}/find`]: 'read',
  [`GET ${workbook}/records`]: 'read',
  [`GET ${workbook}/slice`]: 'read',
  [`GET ${workbook}/values`]: 'read',
  [`DELETE ${workbook}/values`]: 'write',
  [`GET ${workbook}/blame`]: 'read',
  [`GET ${workbook}/eval-stats`]: 'read',
  [`POST ${workbook}/eval-ceiling`]: 'develop',
  [`POST ${workbook}/scenario`]: 'read',
  [`GET ${workbook}/proofs`]: 'read',
  [`GET ${workbook}/diff`]: 'read',
  [`POST ${workbook}/merges`]: 'write',
  [`GET ${workbook}/merges`]: 'read',
  [`GET ${workbook}/merges/:mid`]: 'read',
  [`GET ${workbook}/merges/:mid/conflicts`]: 'read',
  [`GET ${workbook}/merges/:mid/diff`]: 'read',
  [`POST ${workbook}/merges/:mid/resolve`]: 'write',
  [`POST ${workbook}/merges/:mid/approve`]: 'approve',
  [`POST ${workbook}/merges/:mid/abort`]: 'write',
  [`PUT ${workbook}/merges/:mid/units`]: 'write',
  [`POST ${workbook}/matches`]: 'write',
  [`GET ${workbook}/matches`]: 'read',
  [`GET ${workbook}/matches/:mid`]: 'read',
  [`DELETE ${workbook}/matches/:mid`]: 'write',
  [`PATCH ${workbook}/matches/:mid/rows`]: 'write',
  [`POST ${workbook}/matches/:mid/apply`]: 'write',
  [`POST ${workbook}/tables/:tid/reconciliation`]: 'settings',
  [`GET ${workbook}/reconciliation`]: 'settings',
  // Revoking is possible while the workbook is archived, too: it has no body.
  [`DELETE ${workbook}/reconciliation/:link`]: 'settings',
  [`POST ${workbook}/webhooks`]: 'settings',
  [`GET ${workbook}/webhooks`]: 'settings',
  [`GET ${workbook}/webhooks/:webhook`]: 'settings',
  [`DELETE ${workbook}/webhooks/:webhook`]: 'settings',
  [`POST ${workbook}/webhooks/:webhook/replay`]: 'settings',
  [`GET ${workbook}/ws`]: 'read',
  [`POST ${workbook}/ws-ticket`]: 'read',
};

/**
 * The action of a route on the workbook in its path, or that it makes; undefined for all other
 * routes.
 */
export function actionOf(method: string, path: string): Action | undefined {
  if (path === '/v1/workbooks') return method === 'POST' ? 'create' : undefined;
  const isOfWorkbook = path === workbook || path.startsWith(`${workbook}/`);
  return isOfWorkbook ? (routeActions[`${method} ${path}`] ?? 'settings') : undefined;
}
