import { Failure } from '../model/failure.ts';
import { pages } from '../model/limits.ts';
import { foldName } from '../model/names.ts';
import { referenceName } from '../model/reference.ts';
import type { Completing } from './catalogue.ts';
import type { McpContext } from './context.ts';
import type { McpServices } from './services.ts';
import { Targets } from './tools/targets.ts';
import { readTables } from './tools/table-lookup.ts';

/** Completes names of workbooks, branches, tables, sheets and merges. */
export class Completions {
  readonly #services: McpServices;
  readonly #targets: Targets;
  /** Names of pages. */
  readonly #documents: readonly string[];

  constructor(services: McpServices, documents: readonly string[]) {
    this.#services = services;
    this.#targets = new Targets(services);
    this.#documents = documents;
  }

  async complete(asked: Completing, context: McpContext): Promise<readonly string[]> {
    const all = await this.#all(asked, context);
    const written = foldName(asked.value);
    return all.filter(
      (one) => foldName(one).startsWith(written) || foldName(one).includes(`/${written}`),
    );
  }

  async #all(
    { argument, settled: { workbook } }: Completing,
    context: McpContext,
  ): Promise<readonly string[]> {
    if (argument === 'workbook') return this.#workbooks(context);
    if (argument === 'name') return this.#documents;
    if (workbook === undefined) return [];
    try {
      return await this.#within(argument, workbook, context);
    } catch (error) {
      // A workbook that is not there, or is not written to its end, has nothing to offer.
      if (error instanceof Failure && error.status < 500) return [];
      throw error;
    }
  }

  async #workbooks({ principal }: McpContext): Promise<readonly string[]> {
    const page = { includeArchived: false, offset: 0, limit: pages.listMost };
    const { workbooks } = await this.#services.registry.list(principal, page);
    return workbooks.flatMap(({ id, namespace, name }) => [`${namespace}/${name}`, id]);
  }

  async #within(argument: string, workbook: string, { principal }: McpContext) {
    const { branches, forks, merges } = this.#services;
    const place = await this.#targets.place(workbook, 'main', principal);
    const { workbookId } = place.address;
    switch (argument) {
      case 'ref': {
        const listed = await forks.list(workbookId, { includesArchived: false });
        return listed.flatMap(({ name, head }) => [name, referenceName(name, head)]);
      }
      case 'table':
        return (await readTables(this.#services, place)).tables.map(({ name }) => name);
      case 'sheet':
        return (await branches.outline(place.address)).sheets.map(({ name }) => name);
      case 'merge_id': {
        const { looks } = await merges.list(workbookId, { offset: 0, limit: pages.listDefault });
        return looks.map(({ record }) => record.id);
      }
      default:
        return [];
    }
  }
}
