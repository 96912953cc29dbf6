import type { oas31 } from 'zod-openapi';

import { kindFamilies, operationGuide, schemaNameOf } from '../../model/operation-guide.ts';
import type { SubmittedKind } from '../../model/operation-guide.ts';
import { servedDocuments } from './documents.ts';
import { escapeHtml, inline, markdownToHtml } from './markdown.ts';
import type { OpenApiDocument } from './openapi.ts';
import { htmlPage } from './page.ts';
import { sampleOf } from './sample.ts';
import type { Resolve } from './sample.ts';
import { schemaText } from './schema-text.ts';
import type { ShownSchema } from './schema-text.ts';

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: oas31.OperationObject;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The reference as one page, read by people and by programs that cannot run scripts. */
export function referencePage(document: OpenApiDocument): string {
  const entries = entriesOf(document);
  const tags = (document.tags ?? []).map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags?.[0] === name),
  }));
  const server = document.servers?.[0]?.url ?? '';
  const shown = tags.filter((tag) => tag.entries.length > 0);
  const navigation = shown.map(
    (tag) =>
      `<div class="part"><h2>${escapeHtml(tag.name)}</h2><ul>${tag.entries.map(navigationItem).join('')}</ul></div>`,
  );
  const resolve = resolver(document);
  const sections = shown.map(
    (tag) => `<section aria-labelledby="${slug(tag.name)}">
<h2 id="${slug(tag.name)}">${escapeHtml(tag.name)}</h2>
${tag.entries.map((entry) => article(entry, { server, resolve })).join('\n')}
</section>`,
  );
  return htmlPage(
    'Quire: the API',
    `<div class="page">
<nav aria-label="Routes"><details open><summary>Menu</summary>
<label for="search" class="quiet">Search routes and kinds</label>
<input type="search" id="search" autocomplete="off" placeholder="commit, merge, cells.set …">
<a href="/openapi.json">openapi.json</a>${guide()}${navigation.join('')}</details></nav>
<main>
<p id="none" class="hidden" role="status">Nothing here has these words.</p>
<h1>Quire: the API</h1>
<p class="quiet">Version ${escapeHtml(document.info.version)} at <code>${escapeHtml(server)}</code></p>
${markdownToHtml(document.info.description ?? '')}
${sections.join('\n')}
${schemas(document)}
</main>
</div>`,
  );
}

function entriesOf(document: OpenApiDocument): Entry[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }];
    }),
  );
}

/** The pages of running text, which are served beside this one. */
function guide(): string {
  const items = Object.entries(servedDocuments).map(
    ([name, about]) => `<li><a href="/docs/${name}" title="${escapeHtml(about)}">${name}</a></li>`,
  );
  return `<h2>Guide</h2><ul>${items.join('')}</ul>`;
}

function navigationItem({ method, path, operation }: Entry): string {
  const label = `${method} ${path}`;
  return `<li><a href="#${idOf(operation)}" title="${escapeHtml(label)}">${escapeHtml(operation.summary ?? label)}</a></li>`;
}

/** Facts beside an entry that its article needs. */
interface Shown {
  readonly server: string;
  readonly resolve: Resolve;
}

function resolver(document: OpenApiDocument): Resolve {
  const known = document.components?.schemas ?? {};
  return (reference) => known[reference.replace(/^.*\//, '')] ?? {};
}

/** The words by which the search finds an entry. */
function wordsOf({ method, path, operation }: Entry): string {
  const { summary = '', description = '', tags = [] } = operation;
  return escapeHtml(`${method} ${path} ${summary} ${description} ${tags.join(' ')}`.toLowerCase());
}

function article(entry: Entry, { server, resolve }: Shown): string {
  const { method, path, operation } = entry;
  const id = idOf(operation);
  const scope: unknown = operation['x-scope' as keyof typeof operation];
  const mark = typeof scope === 'string' ? `scope ${scope}` : 'no credential';
  return `<article id="${id}" aria-labelledby="${id}-title" data-text="${wordsOf(entry)}">
<h3 id="${id}-title">${inline(operation.summary ?? '')}<span class="scope">${mark}</span></h3>
<p class="way"><span class="method">${method}</span> <a href="#${id}">${escapeHtml(path)}</a></p>
${operation.description === undefined ? '' : markdownToHtml(operation.description)}
${parameters(operation)}
${body(operation, resolve)}
${path.endsWith('/branches/{branch}/ops') && method === 'POST' ? kinds(resolve) : ''}
<h4>Example</h4>
<pre><code>${escapeHtml(curl(entry, server))}</code></pre>
${answers(operation, resolve)}
</article>`;
}

function parameters(operation: oas31.OperationObject): string {
  const list = (operation.parameters ?? []).filter((each) => 'name' in each);
  if (list.length === 0) return '';
  const rows = list.map((each) => {
    const { name, required, description, schema } = each;
    const type = schemaText(schema ?? {});
    const place = `${each.in}${required === true ? ', required' : ''}`;
    return `<tr><td><code>${escapeHtml(name)}</code></td><td><code>${escapeHtml(type)}</code></td>
<td class="quiet">${place}</td><td>${inline(description ?? '')}</td></tr>`;
  });
  return `<h4>Parameters</h4><table>${rows.join('\n')}</table>`;
}

function body(operation: oas31.OperationObject, resolve: Resolve): string {
  const request = operation.requestBody;
  if (request === undefined || !('content' in request)) return '';
  const types = Object.keys(request.content).map((type) => `<code>${escapeHtml(type)}</code>`);
  const schema = request.content['application/json']?.schema;
  return `<h4>Body: ${types.join(', ')}</h4>${schemaBlock(schema, resolve)}`;
}

/** The kinds of operation, each folded: what it does, its payload, an example. */
function kinds(resolve: Resolve): string {
  const families = kindFamilies.map(
    (family) => `<h5>${family.name}</h5>
<div class="kinds">${family.kinds.map((kind) => kindBlock(kind, resolve)).join('\n')}</div>`,
  );
  return `<h4>Kinds of operation</h4>${families.join('\n')}`;
}

function kindBlock(kind: SubmittedKind, resolve: Resolve): string {
  const { does, example } = operationGuide[kind];
  const payload = resolve(schemaNameOf(kind)).properties?.['payload'] ?? {};
  const words = escapeHtml(`${kind} ${does}`.toLowerCase());
  const call = JSON.stringify({ kind, payload: example }, undefined, 2);
  return `<details id="${kind}" data-kind="${words}"><summary><code>${kind}</code> ${inline(does)}</summary>
<pre><code>payload: ${escapeHtml(schemaText(payload))}</code></pre>
<pre><code>${escapeHtml(call)}</code></pre></details>`;
}

function answers(operation: oas31.OperationObject, resolve: Resolve): string {
  const blocks = Object.entries(operation.responses ?? {}).map(([status, answer]) => {
    const { description, content = {} } = answer as oas31.ResponseObject;
    const isFailure = !/^[123]/.test(status);
    const media = content['application/json'];
    const details = isFailure || media === undefined ? '' : answerBlock(media, resolve);
    return `<h4>${status}: ${inline(description)}</h4>${details}`;
  });
  return blocks.join('\n');
}

/** The members of an answer, and an answer. */
function answerBlock(media: oas31.MediaTypeObject, resolve: Resolve): string {
  if (media.schema === undefined) return '';
  const example: unknown = media.example ?? sampleOf(media.schema, resolve);
  const sample = JSON.stringify(example, undefined, 2);
  return `<details><summary>Members</summary>${schemaBlock(media.schema, resolve)}</details>
<details><summary>Example</summary><pre><code>${escapeHtml(sample)}</code></pre></details>`;
}

/** A schema with a name is shown by its members, names within it by their names. */
function schemaBlock(schema: oas31.MediaTypeObject['schema'], resolve: Resolve): string {
  if (schema === undefined) return '';
  const shown = schema as ShownSchema;
  const whole = shown.$ref === undefined ? shown : resolve(shown.$ref);
  return `<pre><code>${escapeHtml(schemaText(whole))}</code></pre>`;
}

function schemas(document: OpenApiDocument): string {
  const ofKinds = new Set(kindFamilies.flatMap(({ kinds: each }) => each).map(schemaNameOf));
  const entries = Object.entries(document.components?.schemas ?? {}).filter(
    ([name]) => !ofKinds.has(name),
  );
  const blocks = entries.map(
    ([
      name,
      schema,
    ]) => `<details id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>
<pre><code>${escapeHtml(schemaText(schema as ShownSchema))}</code></pre></details>`,
  );
  return entries.length === 0
    ? ''
    : `<h2 id="schemas">Schemas</h2><div class="kinds">${blocks.join('\n')}</div>`;
}

/** A call to copy: braces stand for what the reader fills in. */
function curl({ method, path, operation }: Entry, server: string): string {
  const request = operation.requestBody;
  const content = request !== undefined && 'content' in request ? request.content : {};
  const json = content['application/json'];
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}'${server}${path}'`];
  if (operation.security?.length !== 0) {
    lines.push(`-H "Authorization: Bearer $QUIRE_KEY"`);
  }
  if (json !== undefined) {
    const example: unknown = json.example ?? {};
    lines.push(`-H 'Content-Type: application/json'`);
    lines.push(`-d '${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`);
  }
  return lines.join(' \\\n  ');
}

function idOf(operation: oas31.OperationObject): string {
  return operation.operationId ?? '';
}

function slug(text: string): string {
  return `tag-${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}
