import type { Rights } from '../../server/model/rights.ts';

/** Rights that never end. */
export const lastingRights: Rights = {
  check: async () => undefined,
  watch: () => () => undefined,
};
