import { z } from 'zod';

import { reconciliationLimits as limits } from './limits.ts';
import type { NamedTable } from './name-indexes.ts';
import { typeOf } from './reconciliation.ts';

const service = z.object({ service_url: z.string(), service_path: z.string() });

/** The manifest of the Reconciliation Service API 0.2. */
export const manifestSchema = z
  .object({
    versions: z.array(z.string()),
    name: z.string(),
    identifierSpace: z.string(),
    schemaSpace: z.string(),
    defaultTypes: z.array(z.object({ id: z.string(), name: z.string() })),
    documentation: z.string(),
    view: z.object({ url: z.string() }),
    preview: z.object({ url: z.string(), width: z.int(), height: z.int() }),
    suggest: z.object({ entity: service, property: service, type: service }),
    extend: z.object({ propose_properties: service, property_settings: z.array(z.unknown()) }),
    batchSize: z.int(),
  })
  .meta({ id: 'ReconciliationManifest' });

export function manifestOf(
  table: NamedTable,
  { token, baseUrl }: { readonly token: string; readonly baseUrl: string },
): z.output<typeof manifestSchema> {
  const here = `${baseUrl}/v1/reconciliation/${token}`;
  const at = (path: string) => ({ service_url: here, service_path: path });
  const tables = `${baseUrl}/v1/workbooks/${table.place.address.workbookId}/tables`;
  const url = `${here}/preview?id={{id}}`;
  return {
    versions: ['0.2'],
    name: `${table.table.name}, ${table.column.name}`,
    identifierSpace: `${tables}/${table.table.id}/rows?keys=`,
    schemaSpace: tables,
    defaultTypes: [typeOf(table)],
    documentation: `${baseUrl}/docs/matching.md`,
    view: { url },
    preview: { url, width: 400, height: 240 },
    suggest: {
      entity: at('/suggest/entity'),
      property: at('/suggest/property'),
      type: at('/suggest/type'),
    },
    extend: { propose_properties: at('/properties'), property_settings: [] },
    batchSize: limits.queriesPerBatch,
  };
}
