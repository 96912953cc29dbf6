import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { accountTool } from './account-tool.ts';
import { branchTool } from './branch-tool.ts';
import { diffTool } from './diff-tool.ts';
import { historyTool } from './history-tool.ts';
import { matchTables } from './match-tables.ts';
import { mergeTool } from './merge-tool.ts';
import { opsSubmit } from './ops-submit.ts';
import { rangeRead } from './range-read.ts';
import { rangeWrite } from './range-write.ts';
import { scenarioEval } from './scenario-eval.ts';
import { tableRead } from './table-read.ts';
import { tableWrite } from './table-write.ts';
import { workbookCreate } from './workbook-create.ts';
import { workbookDescribe } from './workbook-describe.ts';
import { workbookList } from './workbook-list.ts';

/** All tools, in the order in which clients show them. */
export function toolsOf(services: McpServices): readonly Tool[] {
  const makers = [
    workbookList,
    workbookCreate,
    workbookDescribe,
    rangeRead,
    rangeWrite,
    opsSubmit,
    scenarioEval,
    tableRead,
    tableWrite,
    historyTool,
    diffTool,
    branchTool,
    mergeTool,
    matchTables,
    accountTool,
  ];
  return makers.map((make) => make(services));
}
