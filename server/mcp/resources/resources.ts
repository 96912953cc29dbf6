import { isLasting, type Place } from '../../branches/place.ts';
import { Failure } from '../../model/failure.ts';
import type { WireInput } from '../../model/input.ts';
import { kindFamilies, operationGuide } from '../../model/operation-guide.ts';
import { referenceName } from '../../model/reference.ts';
import type { Principal } from '../../model/scope.ts';
import type { Freshness, ReadResource, Resources, WatchContext, Watched } from '../catalogue.ts';
import type { McpContext } from '../context.ts';
import type { JsonObject } from '../protocol/message.ts';
import type { McpServices } from '../services.ts';
import { budget } from '../tools/arguments.ts';
import { Targets } from '../tools/targets.ts';
import { csvText } from '../tools/grid-text.ts';
import { readRanges, readRangeText } from '../tools/range-reading.ts';
import type { Tool, ToolResult } from '../catalogue.ts';
import { describeWorkbook, summaryText } from '../tools/workbook-describe.ts';
import { checkpointUri, readUri, summaryUri, uriTemplates, type NamedResource } from './uri.ts';

const listedMost = 50;
const markdown = 'text/markdown';
const csv = 'text/csv';

const immutable: Freshness = { ttlMs: 86_400_000, cacheScope: 'private' };
const moving: Freshness = { ttlMs: 0, cacheScope: 'private' };
const shipped: Freshness = { ttlMs: 3_600_000, cacheScope: 'public' };

/** Pages that are served as `doc://…`, by their name there. */
export type Documents = ReadonlyMap<string, { readonly about: string; readonly text: string }>;

interface ResourceParts {
  readonly services: McpServices;
  readonly documents: Documents;
  /** The tools that read rows and merges. */
  readonly tools: readonly Tool[];
}

/** Workbooks, merges, the transparency log and pages of the documentation, to be read by URI. */
export class WorkbookResources implements Resources {
  readonly templates = templates;
  readonly #services: McpServices;
  readonly #targets: Targets;
  readonly #documents: Documents;
  readonly #tools: ReadonlyMap<string, Tool>;

  constructor({ services, documents, tools }: ResourceParts) {
    this.#services = services;
    this.#targets = new Targets(services);
    const operations = { about: 'every kind of operation, with an example', text: operationText() };
    this.#documents = new Map([...documents, ['operations', operations]]);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  async list({ principal }: McpContext): Promise<readonly JsonObject[]> {
    const page = { includeArchived: false, offset: 0, limit: listedMost };
    const { workbooks } = await this.#services.registry.list(principal, page);
    const own = workbooks.map(({ id, namespace, name }) => ({
      uri: summaryUri(id, 'main'),
      name: `${namespace}/${name}`,
      description: 'Sheets, tables, names and branches of this workbook',
      mimeType: markdown,
    }));
    const pages = [...this.#documents].map(([name, { about }]) => ({
      uri: `doc://${name}`,
      name,
      description: about,
      mimeType: markdown,
    }));
    const checkpoint = { uri: checkpointUri, name: 'checkpoint', mimeType: 'text/plain' };
    const about = 'The newest signed checkpoint of the transparency log';
    return [...pages, { ...checkpoint, description: about }, ...own];
  }

  async read(uri: string, context: McpContext): Promise<ReadResource | undefined> {
    const named = readUri(uri);
    const found = named && (await this.#read(named, context));
    if (named && 'workbook' in named) {
      await context.right.check(() => this.#targets.idOf(named.workbook, context.principal));
    }
    if (!found) return undefined;
    const { text, type, fresh } = found;
    return { contents: [{ uri, mimeType: type, text }], ...fresh };
  }

  async watch(
    uri: string,
    { principal }: WatchContext,
    changed: () => void,
  ): Promise<Watched | undefined> {
    const named = readUri(uri);
    if (!named || !('ref' in named)) return undefined;
    const place = await this.#placeOf(named, principal);
    if (!place || place.isPinned) return undefined;
    const { workbookId, branchNo } = place.address;
    const { branches } = this.#services;
    // The branch must be in memory to receive writes of other processes.
    await branches.outline(place.address);
    const stop = branches.subscribe((commit) => {
      if (commit.branchNo === branchNo && commit.workbookId === workbookId) changed();
    });
    return { workbookId, stop };
  }

  async mayStillRead(uri: string, { principal }: WatchContext): Promise<boolean> {
    const named = readUri(uri);
    return (
      named !== undefined && 'ref' in named && (await this.#placeOf(named, principal)) !== undefined
    );
  }

  /** Finds a place; undefined if it is not visible to the caller. */
  async #placeOf(
    { workbook, ref }: { readonly workbook: string; readonly ref: string },
    principal: Principal,
  ): Promise<Place | undefined> {
    try {
      return await this.#targets.place(workbook, ref, principal);
    } catch (error) {
      if (error instanceof Failure && error.status < 500) return undefined;
      throw error;
    }
  }

  async #read(named: NamedResource, context: McpContext): Promise<Found | undefined> {
    switch (named.kind) {
      case 'checkpoint': {
        const { note } = await this.#services.log.newest();
        return { text: noteText(note), type: 'text/plain', fresh: moving };
      }
      case 'document': {
        const document = this.#documents.get(named.name);
        return document && { text: document.text, type: markdown, fresh: shipped };
      }
      case 'summary': {
        const place = await this.#place(named, context);
        const text = summaryText(await describeWorkbook(this.#services, place, context.principal));
        return { text, type: markdown, fresh: freshness(place) };
      }
      case 'range':
        return this.#range(named, context);
      case 'table': {
        const { workbook, ref, table } = named;
        const fresh = freshness(await this.#place(named, context));
        const found = await this.#table({ workbook, ref, table, limit: budget.cells }, context);
        return { ...found, fresh };
      }
      case 'merge': {
        const { workbook, merge } = named;
        const asked = { workbook, action: 'show', merge_id: merge, diff: true };
        return this.#asked('merge', asked, context);
      }
    }
  }

  #place({ workbook, ref }: { workbook: string; ref: string }, { principal }: McpContext) {
    return this.#targets.place(workbook, ref, principal);
  }

  async #range(
    named: Extract<NamedResource, { kind: 'range' }>,
    context: McpContext,
  ): Promise<Found> {
    const place = await this.#place(named, context);
    const asked = { ranges: [readRangeText(named.range, 'uri')], lens: 'value', budget } as const;
    const { ranges, rest, seq } = await readRanges(this.#services, place, asked);
    const text = csvText(ranges.flatMap(({ rows }) => rows));
    const at = referenceName(place.branch, seq);
    const more = rest.length === 0 ? '' : `\n# More: ${rest.join(', ')} at ${at}`;
    return { text: text + more, type: csv, fresh: freshness(place) };
  }

  /** A header with the names of the columns, and then the rows. */
  async #table(given: JsonObject, context: McpContext): Promise<Omit<Found, 'fresh'>> {
    const { structuredContent: shown } = await this.#result('table_read', given, context);
    const { columns = [], rows = [], next, ref } = shown as Partial<TableShown>;
    const offset = next?.offset;
    const more = offset === undefined ? '' : `\n# More: rows from ${offset} on at ${ref}`;
    return { text: csvText([columns, ...rows]) + more, type: csv };
  }

  /** Returns the text that a tool answers. */
  async #asked(name: string, given: JsonObject, context: McpContext): Promise<Found> {
    const { content } = await this.#result(name, given, context);
    return { text: String(content[0]?.['text']), type: markdown, fresh: moving };
  }

  /** The answer of a tool; it fails as the tool does. */
  async #result(name: string, given: JsonObject, context: McpContext): Promise<ToolResult> {
    const result = await this.#tools.get(name)?.call(given, context);
    if (!result || 'inputRequests' in result) throw new Error(`the tool ${name} answers nothing`);
    if (result.isError === true) {
      const text = String(result.content[0]?.['text']);
      const { message, hint } = JSON.parse(text) as { message: string; hint?: string };
      throw new Failure('notFound', { detail: message, ...(hint !== undefined && { hint }) });
    }
    return result;
  }
}

/** The members of an answer of `table_read` that a CSV is made of. */
interface TableShown {
  readonly ref: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly WireInput[])[];
  readonly next: { readonly offset: number } | null;
}

interface Found {
  readonly text: string;
  readonly type: string;
  readonly fresh: Freshness;
}

function freshness(place: Place): Freshness {
  return isLasting(place) ? immutable : moving;
}

function noteText(note: string | Uint8Array): string {
  return typeof note === 'string' ? note : new TextDecoder().decode(note);
}

const templates: readonly JsonObject[] = [
  {
    uriTemplate: uriTemplates.summary,
    name: 'workbook summary',
    description: 'Sheets, tables, names and branches of a workbook at a branch or a position',
    mimeType: markdown,
  },
  {
    uriTemplate: uriTemplates.range,
    name: 'range',
    description: 'Values of a range: wb://{workbook}/main/Plan!A1:C10.csv',
    mimeType: csv,
  },
  {
    uriTemplate: uriTemplates.table,
    name: 'table',
    description: 'Rows of a table, by its id or name',
    mimeType: csv,
  },
  {
    uriTemplate: uriTemplates.merge,
    name: 'merge review',
    description: 'What a merge does, its conflicts and what stands against it',
    mimeType: markdown,
  },
  {
    uriTemplate: uriTemplates.document,
    name: 'documentation',
    description: 'auth.md, formulas, operations and the other pages of resources/list',
    mimeType: markdown,
  },
];

/** Lists every kind of operation with an example: what ops_submit takes. */
function operationText(): string {
  const lines = ['# Kinds of operation', '', 'ops_submit takes a list of {"kind", "payload"}.'];
  for (const { kinds } of kindFamilies) {
    for (const kind of kinds) {
      const { does, example } = operationGuide[kind];
      lines.push(
        '',
        `## ${kind}`,
        '',
        does,
        '',
        `    ${JSON.stringify({ kind, payload: example })}`,
      );
    }
  }
  return lines.join('\n');
}
