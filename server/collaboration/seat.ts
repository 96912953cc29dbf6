import type { BranchAddress } from '../branches/journal-store.ts';
import type { Principal } from '../model/scope.ts';

/** The owner of a socket, and its branch. */
export interface Seat {
  readonly workbookId: string;
  readonly branch: string;
  readonly address: BranchAddress;
  principal: Principal;
  /** The account that the socket is metered for. */
  readonly ownerId: string;
  /** Key for looking up the credential again. */
  readonly credentialKey: string;
  /** True for a client that only listens, and is invisible to others. */
  readonly isListener?: true;
}
