import { readReference, type Place } from '../../branches/place.ts';
import type { Action } from '../../model/access.ts';
import { Failure } from '../../model/failure.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookFacts } from '../../workbooks/registry.ts';
import type { McpServices } from '../services.ts';

type Services = Pick<McpServices, 'registry' | 'checkAccess' | 'positions' | 'policies'>;

/** The actions that write to a workbook, which must not be archived. */
const writing: ReadonlySet<Action> = new Set(['write', 'branch', 'approve']);

/** Finds the things named by arguments, if the caller may use them. */
export class Targets {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  async workbook(named: string, action: Action, principal: Principal): Promise<WorkbookFacts> {
    const { registry, checkAccess } = this.#services;
    const id = await this.idOf(named, principal);
    const hasBody = writing.has(action);
    await checkAccess(id, { action, hasBody }, principal);
    return hasBody ? registry.writable(id, principal) : registry.visible(id, principal);
  }

  /** Returns the id of a workbook by its id or address; whether it may be used is not looked at. */
  async idOf(named: string, principal: Principal): Promise<string> {
    return named.startsWith('wb_') ? named : this.#resolve(named, principal);
  }

  /** Checks the same where a branch is written to without a merge. */
  async branch(named: string, branch: string, principal: Principal): Promise<WorkbookFacts> {
    const facts = await this.workbook(named, 'write', principal);
    await this.#services.policies.checkDirectWrite(facts, branch, principal);
    return facts;
  }

  async place(named: string, ref: string, principal: Principal): Promise<Place> {
    const { id } = await this.workbook(named, 'read', principal);
    return this.#services.positions.locate(id, readReference(ref, '/ref'));
  }

  /** Returns the id of a workbook by its address, which may have moved. */
  async #resolve(named: string, principal: Principal): Promise<string> {
    const [owner = '', space, ...more] = named.split('/');
    if (space === undefined || more.length > 0) throw unknown(named);
    const found = await this.#services.registry.resolve(owner, space, principal);
    if (typeof found === 'string') return found;
    if (found === undefined) throw unknown(named);
    const moved = found.movedTo.split('/').slice(2).map(decodeURIComponent);
    return this.#resolve(moved.join('/'), principal);
  }
}

function unknown(named: string): Failure {
  return new Failure('notFound', {
    detail: `There is no workbook "${named.slice(0, 100)}" that you can see.`,
    errors: [
      {
        pointer: '/workbook',
        code: 'not_found',
        message: 'This must be an id (wb_…) or an address (namespace/name).',
      },
    ],
  });
}
