import type { Catalogue } from './catalogue.ts';
import { Completions } from './completions.ts';
import { prompts } from './prompts.ts';
import { WorkbookResources, type Documents } from './resources/resources.ts';
import type { McpServices } from './services.ts';
import { toolsOf } from './tools/tools.ts';

/** Introduction for a model, before any tool. */
export const instructions = `Quire keeps versioned workbooks: cells, formulas, tables, branches and merges.
Begin with workbook_list, or workbook_create, then workbook_describe. Read with range_read and
table_read; ref takes any position, such as main@42. Write with range_write or table_write: each
answers what it led to, so that you need not read back. For anything that somebody should look
at first, write to a branch of your own (range_write with create_branch_from), then merge
{"action":"open"}. scenario_eval tries inputs without writing. Errors have a code, a message and
a hint, which is the next call to make. Results end at 4,000 cells; "next" has the arguments
that go on.`;

/** Collects all that this service offers to language models. */
export function workbookCatalogue(services: McpServices, documents: Documents): Catalogue {
  const tools = toolsOf(services);
  const resources = new WorkbookResources({ services, documents, tools });
  const completions = new Completions(services, [...documents.keys(), 'operations']);
  return {
    tools,
    resources,
    prompts,
    complete: (asked, context) => completions.complete(asked, context),
  };
}
