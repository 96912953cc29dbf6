import type { BranchAddress } from '../branches/journal-store.ts';
import type { Principal } from '../model/scope.ts';

/** The owner of a socket, and the branch that it is about. */
export interface Seat {
  readonly workbookId: string;
  readonly branch: string;
  readonly address: BranchAddress;
  principal: Principal;
  /** Whose account the socket counts for: of whoever opened it. */
  readonly ownerId: string;
  /** The credential is looked up by it again. */
  readonly credentialKey: string;
  /** It sends nothing, and the others do not see it. */
  readonly isListener?: true;
}
