import { LRUCache } from 'lru-cache';

import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Principal } from '../model/scope.ts';
import type { WorkbookTable } from './sql.ts';
import type { Workbook } from './workbook.ts';

/** What every request about a workbook has to know of it. */
export type WorkbookFacts = Pick<Workbook, 'id' | 'ownerId' | 'archived'>;

const remembered = { count: 50_000, lifeMilliseconds: 5_000 };

/** Which workbooks there are, and who sees them. To everybody else they do not exist. */
export class WorkbookRegistry {
  readonly #table: WorkbookTable;
  /** A moment old at most; the journal itself refuses writes to what is archived. */
  readonly #facts: LRUCache<string, WorkbookFacts>;

  constructor(table: WorkbookTable, environment: Environment) {
    this.#table = table;
    const clock = { perf: { now: () => environment.now() }, ttlResolution: 0 };
    const { count: max, lifeMilliseconds: ttl } = remembered;
    this.#facts = new LRUCache({ max, ttl, ...clock });
  }

  /** Fails with 404 unless the principal may see the workbook. */
  async visible(id: string, principal: Principal): Promise<WorkbookFacts> {
    const facts = this.#facts.get(id) ?? (await this.#table.find(id));
    if (!facts || facts.ownerId !== principal.userId) throw unknownWorkbook();
    this.#facts.set(id, facts);
    return facts;
  }

  /** The same for one that will be written to. */
  async writable(id: string, principal: Principal): Promise<WorkbookFacts> {
    const facts = await this.visible(id, principal);
    if (!facts.archived) return facts;
    throw new Failure('workbookArchived', {
      hint: `POST /v1/workbooks/${id}/restore makes it writable again.`,
    });
  }

  async get(id: string, principal: Principal): Promise<Workbook> {
    const workbook = await this.#table.find(id);
    if (workbook?.ownerId !== principal.userId) throw unknownWorkbook();
    return workbook;
  }

  /** The id behind `/v1/:owner/:space`; undefined when the principal sees nothing there. */
  async resolve(owner: string, space: string, principal: Principal): Promise<string | undefined> {
    const workbook = await this.#table.findByAddress(owner, space);
    return workbook?.ownerId === principal.userId ? workbook.id : undefined;
  }

  list(
    principal: Principal,
    page: { includeArchived: boolean; offset: number; limit: number },
  ): Promise<{ workbooks: readonly Workbook[]; total: number }> {
    return this.#table.list({ ownerId: principal.userId, ...page });
  }
}

function unknownWorkbook(): Failure {
  return new Failure('notFound', {
    detail: 'There is no workbook with this id that you can see.',
    hint: 'GET /v1/workbooks lists yours.',
  });
}
