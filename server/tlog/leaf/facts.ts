import type { Statement, StatementVersion } from './statement.ts';
import type { WorkbookKey } from './workbook-key.ts';

/** Content of a statement, with the hashes as they are: only readers of the workbook may see it. */
export type StatementFacts = Omit<Statement, 'version'>;

/** The statement that says it. What could be guessed from a hash is hidden since version 2. */
export function makeStatement(
  key: WorkbookKey,
  facts: StatementFacts,
  version: StatementVersion = 2,
): Statement {
  if (version === 1) return { version, ...facts };
  const { chain, state } = facts;
  const hidden = { chain: key.hideChain(chain), state: state && key.hideState(state) };
  return { version, ...facts, ...hidden };
}
