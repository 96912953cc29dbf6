import type { Operation } from '../../model/operation.ts';
import {
  planColumnAdd,
  planColumnDrop,
  planColumnMove,
  planColumnRename,
} from './plan-table-columns.ts';
import { planColumnAlter } from './plan-table-alter.ts';
import { planTableCreate } from './plan-table-create.ts';
import { planTableRowsDelete } from './plan-table-delete.ts';
import { planRowsImport, planRowsUpsert } from './plan-table-rows.ts';
import { planKeyChange, planTableDrop, planTableRename } from './plan-tables.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';

type TableKind = Extract<Operation['kind'], `table.${string}`> | 'rows.import' | 'rows.upsert';
type DeleteOperation = Extract<Operation, { kind: 'rows.delete' }>;

/** The kinds that make, change and fill tables. */
export type TableOperation =
  | Extract<Operation, { kind: TableKind }>
  | (DeleteOperation & { payload: Extract<DeleteOperation['payload'], { table: string }> });

export function* planTable(operation: TableOperation, context: PlanContext): Planning {
  switch (operation.kind) {
    case 'table.create':
      return yield* planTableCreate(operation.payload, context);
    case 'table.drop':
      return planTableDrop(operation.payload, context);
    case 'table.rename':
      return yield* planTableRename(operation.payload, context);
    case 'table.key.change':
      return yield* planKeyChange(operation.payload, context);
    case 'rows.import':
      return yield* planRowsImport(operation.payload, context);
    case 'rows.upsert':
      return yield* planRowsUpsert(operation.payload, context);
    case 'rows.delete':
      return yield* planTableRowsDelete(operation.payload, context);
    default:
      return yield* planColumns(operation, context);
  }
}

type ColumnOperation = Extract<TableOperation, { kind: `table.column.${string}` }>;

function* planColumns(operation: ColumnOperation, context: PlanContext): Planning {
  switch (operation.kind) {
    case 'table.column.add':
      return yield* planColumnAdd(operation.payload, context);
    case 'table.column.drop':
      return yield* planColumnDrop(operation.payload, context);
    case 'table.column.rename':
      return yield* planColumnRename(operation.payload, context);
    case 'table.column.alter':
      return yield* planColumnAlter(operation.payload, context);
    case 'table.column.move':
      return yield* planColumnMove(operation.payload, context);
    default:
      return operation satisfies never;
  }
}
