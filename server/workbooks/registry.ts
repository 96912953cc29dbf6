import { rolesFor } from '../model/access.ts';
import type { Action } from '../model/access.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Settle } from '../model/idempotency.ts';
import { makeId } from '../model/identifier.ts';
import { outageOf } from '../model/outage.ts';
import { Remembered } from '../model/remembered.ts';
import type { Principal } from '../model/scope.ts';
import { checkName, nameTaken } from './creation.ts';
import type { Archived, RegisteredWorkbook, WorkbookTable } from './sql.ts';
import { addressPath, roleIn, type SeenWorkbook, type Workbook } from './workbook.ts';

/** Facts that every request about a workbook needs. */
export type WorkbookFacts = Pick<Workbook, 'id' | 'ownerId' | 'archived' | 'roles'>;

export interface ListPage {
  readonly includeArchived: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Actions that an archived workbook refuses. */
const writingActions: ReadonlySet<Action> = new Set(['write', 'branch', 'approve', 'settings']);

const remembered = { count: 50_000, lifeMilliseconds: 5_000 };

/** The workbooks, and who sees them. To everybody else they do not exist. */
export class WorkbookRegistry {
  readonly #table: WorkbookTable;
  readonly #environment: Environment;
  /**
   * Facts as of a moment ago while the database answers; the journal itself refuses writes to
   * archived workbooks.
   */
  readonly #facts: Remembered<WorkbookFacts>;
  readonly #goneListeners = new Set<(id: string) => void>();
  readonly #changeListeners = new Set<(id: string | undefined) => void>();
  #stopListening: (() => Promise<void>) | undefined;

  constructor(table: WorkbookTable, environment: Environment) {
    this.#table = table;
    this.#environment = environment;
    this.#facts = new Remembered({ ...remembered, environment });
  }

  /** Resolves once changes of other processes are heard. */
  async start(): Promise<void> {
    this.#stopListening = await this.#table.listen(
      (id, isGone) => (isGone ? this.dropped(id) : this.#forget(id)),
      () => this.#missed(),
    );
  }

  async stop(): Promise<void> {
    await this.#stopListening?.();
  }

  /** Adds a listener for workbooks that are gone, which must be dropped from memory. */
  whenGone(listener: (id: string) => void): void {
    this.#goneListeners.add(listener);
  }

  /**
   * Called with each workbook whose rights, name or standing any process has changed, and with
   * undefined when some may have been missed.
   */
  whenChanged(listener: (id: string | undefined) => void): void {
    this.#changeListeners.add(listener);
  }

  /** Forgets a workbook; to be called when its purge has begun. */
  dropped(id: string): void {
    this.#forget(id);
    for (const listener of this.#goneListeners) listener(id);
  }

  /** Fails with 404 unless the principal may see the workbook. */
  async visible(id: string, principal: Principal): Promise<WorkbookFacts> {
    const facts = await this.#findFor(id, (known) => roleIn(known, principal.userId) !== undefined);
    if (!facts || !roleIn(facts, principal.userId)) throw unknownWorkbook();
    return facts;
  }

  /**
   * Fails unless the role of the principal allows the action. A missing workbook passes: the answer
   * for a purged one is not known here.
   */
  async check(id: string, action: Action, principal: Pick<Principal, 'userId'>): Promise<void> {
    const mayDo = (known: WorkbookFacts): boolean => {
      const role = roleIn(known, principal.userId);
      return role !== undefined && rolesFor[action].includes(role);
    };
    const facts = await this.#findFor(id, mayDo);
    if (!facts || mayDo(facts)) return;
    const role = roleIn(facts, principal.userId);
    if (!role) throw unknownWorkbook();
    throw new Failure('forbidden', {
      detail: `This takes the role ${rolesFor[action].join(' or ')}; you are ${role} of this workbook.`,
      hint: `Ask its owner: GET /v1/workbooks/${id}/collaborators names them.`,
      extra: { role, required: rolesFor[action] },
    });
  }

  /** Fails where a body for the workbook need not be read: it is not there, or takes no writes. */
  async takesBody(id: string, action: Action, principal: Principal): Promise<void> {
    if (writingActions.has(action)) await this.writable(id, principal);
    else await this.visible(id, principal);
  }

  async isOwner(id: string, userId: string): Promise<boolean> {
    const owns = (known: WorkbookFacts): boolean => roleIn(known, userId) === 'owner';
    const facts = await this.#findFor(id, owns);
    return facts !== undefined && owns(facts);
  }

  async ownerOf(id: string): Promise<string> {
    const facts = await this.#find(id);
    if (facts !== undefined) return facts.ownerId;
    throw unknownWorkbook();
  }

  /** The workbook has other rights than before. */
  changed(id: string): void {
    this.#forget(id);
  }

  /** Does as `visible`, and fails if the workbook is archived: for writes. */
  async writable(id: string, principal: Principal): Promise<WorkbookFacts> {
    const facts = await this.visible(id, principal);
    if (!facts.archived) return facts;
    throw archivedMeanwhile(id);
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
    const moved = await this.#table.findMoved(owner, space, this.#now);
    return moved && roleIn(moved, principal.userId) && { movedTo: addressPath(moved) };
  }

  list(
    principal: Principal,
    page: ListPage,
  ): Promise<{ workbooks: readonly SeenWorkbook[]; total: number }> {
    return this.#table.list({ userId: principal.userId, ...page });
  }

  addresses(
    principal: Principal,
    page: ListPage,
  ): Promise<{ workbooks: readonly RegisteredWorkbook[]; total: number }> {
    return this.#table.addresses({ userId: principal.userId, ...page });
  }

  /** Archives a workbook; once it returns, nothing more is written to it before a restore. */
  async archive(id: string, principal: Principal, settle?: Settle<Archived>): Promise<Archived> {
    await this.visible(id, principal);
    await this.#environment.checkpoint?.('archive.begin');
    const proposed = { archivedAt: this.#now, confirm: makeId('cf_', this.#environment) };
    const archived = await this.#table.archive(id, proposed, settle);
    this.#forget(id);
    if (!archived) throw unknownWorkbook();
    await this.#environment.checkpoint?.('archive.committed');
    return archived;
  }

  async restore(id: string, principal: Principal, settle?: Settle<Workbook>): Promise<Workbook> {
    await this.visible(id, principal);
    await this.#table.restore(id, this.#now, settle);
    this.#forget(id);
    return this.get(id, principal);
  }

  /** The old address names nothing from then on. */
  async rename(
    id: string,
    principal: Principal,
    { name, settle }: { readonly name: string; readonly settle?: Settle<Workbook> | undefined },
  ): Promise<Workbook> {
    await this.writable(id, principal);
    checkName(name);
    const { namespace } = await this.get(id, principal);
    const outcome = await this.#table.rename(id, name, settle);
    if (outcome === 'taken') throw nameTaken(namespace, name);
    this.#forget(id);
    if (outcome === 'renamed') return this.get(id, principal);
    await this.writable(id, principal);
    throw new Failure('unavailable', { hint: 'Send it again.' });
  }

  get #now(): Date {
    return new Date(this.#environment.now());
  }

  #find(id: string): Promise<WorkbookFacts | undefined> {
    return this.#facts.find(id, () => this.#table.find(id));
  }

  /**
   * Finds facts that allow an action, if there are any: cached facts never refuse, because a claim
   * or another process may have just given the right.
   */
  async #findFor(
    id: string,
    allows: (facts: WorkbookFacts) => boolean,
  ): Promise<WorkbookFacts | undefined> {
    const known = await this.#find(id);
    if (!known || allows(known)) return known;
    const found = await this.#table.find(id).catch((error: unknown) => {
      if (outageOf(error) === undefined) throw error;
      return known;
    });
    if (!found || allows(found)) this.#forget(id);
    return found;
  }

  #forget(id: string): void {
    this.#facts.delete(id);
    for (const listener of this.#changeListeners) listener(id);
  }

  #missed(): void {
    this.#facts.clear();
    for (const listener of this.#changeListeners) listener(undefined);
  }
}

/** The refusal for a workbook that is archived, or was archived after a request had been let in. */
export function archivedMeanwhile(id: string): Failure {
  return new Failure('workbookArchived', {
    hint: `POST /v1/workbooks/${id}/restore makes it writable again.`,
  });
}

export function unknownWorkbook(): Failure {
  return new Failure('notFound', {
    detail: 'There is no workbook with this id that you can see.',
    hint: 'GET /v1/workbooks lists yours.',
  });
}
