import { LRUCache } from 'lru-cache';

import { rolesFor } from '../model/access.ts';
import type { Action } from '../model/access.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { makeId } from '../model/identifier.ts';
import type { Principal } from '../model/scope.ts';
import { checkName, nameTaken } from './creation.ts';
import type { Archived, RegisteredWorkbook, WorkbookTable } from './sql.ts';
import { addressPath, roleIn, type Workbook } from './workbook.ts';

/** What every request about a workbook has to know of it. */
export type WorkbookFacts = Pick<Workbook, 'id' | 'ownerId' | 'archived' | 'roles'>;

export interface ListPage {
  readonly includeArchived: boolean;
  readonly offset: number;
  readonly limit: number;
}

const remembered = { count: 50_000, lifeMilliseconds: 5_000 };

/** Which workbooks there are, and who sees them. To everybody else they do not exist. */
export class WorkbookRegistry {
  readonly #table: WorkbookTable;
  readonly #environment: Environment;
  /** A moment old at most; the journal itself refuses writes to what is archived. */
  readonly #facts: LRUCache<string, WorkbookFacts>;
  /** Grows with every change: a look-up that began before one must not fill the cache. */
  #changeCount = 0;
  readonly #goneListeners = new Set<(id: string) => void>();
  #stopListening: (() => Promise<void>) | undefined;

  constructor(table: WorkbookTable, environment: Environment) {
    this.#table = table;
    this.#environment = environment;
    const clock = { perf: { now: () => environment.now() }, ttlResolution: 0 };
    const { count: max, lifeMilliseconds: ttl } = remembered;
    this.#facts = new LRUCache({ max, ttl, ...clock });
  }

  /** Resolves once changes of other processes are heard. */
  async start(): Promise<void> {
    this.#stopListening = await this.#table.listen(
      (id, isGone) => (isGone ? this.dropped(id) : this.#forget(id)),
      () => {
        this.#changeCount++;
        this.#facts.clear();
      },
    );
  }

  async stop(): Promise<void> {
    await this.#stopListening?.();
  }

  /** Called with each workbook that is there no more: nothing of it is to be kept in memory. */
  whenGone(listener: (id: string) => void): void {
    this.#goneListeners.add(listener);
  }

  /** To be called when a purge has begun. */
  dropped(id: string): void {
    this.#forget(id);
    for (const listener of this.#goneListeners) listener(id);
  }

  /** Fails with 404 unless the principal may see the workbook. */
  async visible(id: string, principal: Principal): Promise<WorkbookFacts> {
    const facts = this.#facts.get(id) ?? (await this.#find(id));
    if (!facts || !roleIn(facts, principal.userId)) throw unknownWorkbook();
    return facts;
  }

  /**
   * Fails unless the role of the principal allows the action. A workbook that is not there passes:
   * what is answered about one that was purged is not known here.
   */
  async check(id: string, action: Action, principal: Principal): Promise<void> {
    const facts = this.#facts.get(id) ?? (await this.#find(id));
    if (!facts) return;
    const role = roleIn(facts, principal.userId);
    if (!role) throw unknownWorkbook();
    if (rolesFor[action].includes(role)) return;
    throw new Failure('forbidden', {
      detail: `This takes the role ${rolesFor[action].join(' or ')}; you are ${role} of this workbook.`,
      hint: `Ask its owner: GET /v1/workbooks/${id}/collaborators names them.`,
      extra: { role, required: rolesFor[action] },
    });
  }

  async isOwner(id: string, userId: string): Promise<boolean> {
    const facts = this.#facts.get(id) ?? (await this.#find(id));
    return facts !== undefined && roleIn(facts, userId) === 'owner';
  }

  async ownerOf(id: string): Promise<string> {
    const facts = this.#facts.get(id) ?? (await this.#find(id));
    if (facts !== undefined) return facts.ownerId;
    throw unknownWorkbook();
  }

  /** The workbook has other rights than before. */
  changed(id: string): void {
    this.#forget(id);
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
    if (!workbook || !roleIn(workbook, principal.userId)) throw unknownWorkbook();
    return workbook;
  }

  /**
   * The id behind `/v1/:owner/:space`, or where it went when a merge moved it; undefined when the
   * principal sees nothing there.
   */
  async resolve(
    owner: string,
    space: string,
    principal: Principal,
  ): Promise<string | { movedTo: string } | undefined> {
    const workbook = await this.#table.findByAddress(owner, space);
    if (workbook) return roleIn(workbook, principal.userId) && workbook.id;
    const at = new Date(this.#environment.now());
    const moved = await this.#table.findMoved(owner, space, at);
    return moved && roleIn(moved, principal.userId) && { movedTo: addressPath(moved) };
  }

  list(
    principal: Principal,
    page: ListPage,
  ): Promise<{ workbooks: readonly Workbook[]; total: number }> {
    return this.#table.list({ userId: principal.userId, ...page });
  }

  addresses(
    principal: Principal,
    page: ListPage,
  ): Promise<{ workbooks: readonly RegisteredWorkbook[]; total: number }> {
    return this.#table.addresses({ userId: principal.userId, ...page });
  }

  /** Once it answers, nothing more is written to the workbook before a restore. */
  async archive(id: string, principal: Principal): Promise<Archived> {
    await this.visible(id, principal);
    await this.#environment.checkpoint?.('archive.begin');
    const archived = await this.#table.archive(id, makeId('cf_', this.#environment));
    this.#forget(id);
    if (!archived) throw unknownWorkbook();
    await this.#environment.checkpoint?.('archive.committed');
    return archived;
  }

  async restore(id: string, principal: Principal): Promise<Workbook> {
    await this.visible(id, principal);
    await this.#table.restore(id);
    this.#forget(id);
    return this.get(id, principal);
  }

  /** The old address names nothing from then on. */
  async rename(id: string, principal: Principal, name: string): Promise<Workbook> {
    await this.writable(id, principal);
    checkName(name);
    const { namespace } = await this.get(id, principal);
    const outcome = await this.#table.rename(id, name);
    if (outcome === 'taken') throw nameTaken(namespace, name);
    this.#forget(id);
    if (outcome === 'renamed') return this.get(id, principal);
    await this.writable(id, principal);
    throw new Failure('unavailable', { hint: 'Send it again.' });
  }

  async #find(id: string): Promise<WorkbookFacts | undefined> {
    const changeCount = this.#changeCount;
    const facts = await this.#table.find(id);
    if (facts && changeCount === this.#changeCount) this.#facts.set(id, facts);
    return facts;
  }

  #forget(id: string): void {
    this.#changeCount++;
    this.#facts.delete(id);
  }
}

export function unknownWorkbook(): Failure {
  return new Failure('notFound', {
    detail: 'There is no workbook with this id that you can see.',
    hint: 'GET /v1/workbooks lists yours.',
  });
}
