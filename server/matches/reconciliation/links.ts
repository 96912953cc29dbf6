import { hash } from 'node:crypto';

import type { Branches } from '../../branches/branches.ts';
import { readReference } from '../../branches/place.ts';
import { dayMilliseconds } from '../../model/durations.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { makeId } from '../../model/identifier.ts';
import { columnNamed, keyColumnOf, type StoredTable } from '../../state/structure/tables.ts';
import { tableIn } from '../../tables/table-looks.ts';
import { columnNotFound } from '../../tables/reading/question-faults.ts';
import { checkSize, findColumn } from '../columns.ts';
import { reconciliationLimits as limits } from './limits.ts';
import type { LinkTable, ReconciliationLink } from './sql.ts';

export interface LinkParts {
  readonly table: LinkTable;
  readonly branches: Pick<Branches, 'locate' | 'stateAt'>;
  readonly environment: Environment;
}

export interface AskedLink {
  readonly workbookId: string;
  readonly table: string;
  readonly reference: string;
  /** The key column or the first one beside it when left out. */
  readonly column: string | undefined;
  readonly days: number;
  readonly createdBy: string;
}

const tokenBytes = 32;
const tokenShape = /^[A-Za-z0-9_-]{43}$/u;

/** Addresses that open one table of one workbook for reading, to whoever has them. */
export class ReconciliationLinks {
  readonly #parts: LinkParts;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  /** The token is told now and never again. */
  async add(asked: AskedLink): Promise<{ link: ReconciliationLink; token: string }> {
    const { table, branches, environment } = this.#parts;
    const { workbookId, reference, createdBy, days } = asked;
    const place = await branches.locate(workbookId, readReference(reference, '/branch'));
    const state = await branches.stateAt(place.address, place.seq);
    const found = tableIn(state, asked.table);
    const column = nameColumn(found, asked.column);
    checkSize(findColumn(state, { tableId: found.id, column: column.name }, ''), '');
    const token = Buffer.from(environment.random(tokenBytes)).toString('base64url');
    const link = await table.add(
      {
        id: makeId('rec_', environment),
        workbookId,
        sha256: hash('sha256', token, 'buffer'),
        reference,
        tableId: found.id,
        columnId: column.id,
        createdBy,
        expiresAt: new Date(environment.now() + days * dayMilliseconds),
      },
      limits.linksPerWorkbook,
    );
    if (link) return { link, token };
    throw new Failure('tooManyLinks', {
      detail: `A workbook has at most ${limits.linksPerWorkbook} reconciliation links.`,
      hint: `DELETE /v1/workbooks/${workbookId}/reconciliation/{link} revokes one.`,
    });
  }

  list(workbookId: string): Promise<readonly ReconciliationLink[]> {
    return this.#parts.table.list(workbookId);
  }

  async revoke(workbookId: string, id: string): Promise<void> {
    if (await this.#parts.table.remove(workbookId, id)) return;
    throw new Failure('linkNotFound', {
      detail: `The workbook has no reconciliation link ${id.slice(0, 100)}.`,
      hint: `GET /v1/workbooks/${workbookId}/reconciliation lists them.`,
    });
  }

  /** The link of a token, asked for anew each time: one that was revoked opens nothing more. */
  async open(token: string): Promise<ReconciliationLink> {
    const link = tokenShape.test(token)
      ? await this.#parts.table.open(hash('sha256', token, 'buffer'))
      : undefined;
    if (link) return link;
    throw new Failure('linkNotFound', {
      detail: 'This address opens nothing: it was revoked, has expired, or never was.',
      hint: 'Ask the owner of the workbook for another one.',
    });
  }
}

/** The column of the names; fails for a table without a key, since its rows have no ids. */
function nameColumn(table: StoredTable, asked: string | undefined) {
  const key = keyColumnOf(table);
  if (!key) {
    const message = `${table.name} has no key column.`;
    throw new Failure('tableRefused', {
      detail: message,
      hint: 'PATCH the table with keyColumn: the key of a row is its id for others.',
      errors: [{ pointer: '', code: 'key_needed', message }],
    });
  }
  if (asked === undefined) return table.columns.find(({ id }) => id !== key.id) ?? key;
  const column = columnNamed(table, asked);
  if (column) return column;
  const names = table.columns.map(({ name }) => name);
  throw columnNotFound(asked, { names, pointer: '/column' });
}
