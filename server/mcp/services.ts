import type { Usage } from '../account/usage/usage.ts';
import type { Branches } from '../branches/branches.ts';
import type { Forks } from '../branches/forks/forks.ts';
import type { Policies } from '../branches/policies.ts';
import type { Diffs } from '../diffs/diffs.ts';
import type { Attribution, Origins } from '../diffs/origins.ts';
import type { MatchServices } from '../matches/http.ts';
import type { ConflictReader } from '../merges/conflicts/details.ts';
import type { Decisions } from '../merges/decisions.ts';
import type { ListedStates } from '../merges/listed-states.ts';
import type { Merges } from '../merges/merges.ts';
import type { Action } from '../model/access.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import type { Failure } from '../model/failure.ts';
import type { FileReader } from '../model/file-reader.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { IdentityNames } from '../model/identity-names.ts';
import type { Rights } from '../model/rights.ts';
import type { Principal } from '../model/scope.ts';
import type { LogReader } from '../tlog/service/reader.ts';
import type { Blame } from '../values/blame/blame.ts';
import type { Models } from '../values/models.ts';
import type { Positions } from '../values/positions.ts';
import type { Scenarios } from '../values/scenario/scenarios.ts';
import type { WorkbookCreation } from '../workbooks/creation.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';

interface Origin {
  readonly address: string;
  readonly requestId: string;
}

type Answer = Readonly<Record<string, unknown>>;

/** The requests of an agent about its own identity. */
export interface Account {
  whoAmI(principal: Principal): Promise<Answer>;
  startClaim(
    principal: Principal,
    asked: Origin & { readonly email: string; readonly isLink: boolean },
  ): Promise<Answer>;
  completeClaim(principal: Principal, asked: Origin & { readonly code: string }): Promise<Answer>;
}

/** The services of tools, resources and prompts; the routes use them too. */
export interface McpServices {
  readonly addresses: Addresses;
  readonly environment: Environment;
  readonly registry: WorkbookRegistry;
  readonly rights: Rights;
  readonly creation: WorkbookCreation<unknown>;
  readonly files: FileReader;
  readonly formulas: Pick<FormulaService, 'check'>;
  readonly branches: Branches;
  /** Reads states, also those of open merges. */
  readonly positions: Pick<Positions, 'locate' | 'read' | 'readAt'>;
  readonly forks: Forks;
  readonly policies: Policies;
  readonly models: Models;
  readonly scenarios: Scenarios;
  readonly diffs: Diffs;
  readonly origins: Origins;
  readonly unattributed: Attribution;
  readonly merges: Merges;
  readonly listedStates: ListedStates;
  readonly decisions: Decisions;
  readonly conflicts: ConflictReader;
  readonly blame: Blame;
  readonly names: IdentityNames;
  readonly log: LogReader;
  readonly matching: Pick<MatchServices, 'matches' | 'table'>;
  readonly usage: Usage;
  readonly account: Account;
  /** Fails unless the role of the principal allows it, and the plan does. */
  readonly checkAccess: (
    id: string | undefined,
    asked: { readonly action: Action; readonly hasBody: boolean },
    principal: Principal,
  ) => Promise<void>;
  readonly report: (step: string, error: unknown) => void;
  /** Any error as one of the catalogue. */
  readonly failureOf: (error: unknown) => Failure;
}
