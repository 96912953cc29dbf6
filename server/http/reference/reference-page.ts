import type { oas31 } from 'zod-openapi';

import { escapeHtml, inline, markdownToHtml } from './markdown.ts';
import type { OpenApiDocument } from './openapi.ts';
import { htmlPage } from './page.ts';
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
    (tag) => `<h2>${escapeHtml(tag.name)}</h2><ul>${tag.entries.map(navigationItem).join('')}</ul>`,
  );
  const sections = shown.map(
    (tag) => `<section aria-labelledby="${slug(tag.name)}">
<h2 id="${slug(tag.name)}">${escapeHtml(tag.name)}</h2>
${tag.entries.map((entry) => article(entry, server)).join('\n')}
</section>`,
  );
  return htmlPage(
    'Quire: the API',
    `<div class="page">
<nav aria-label="Routes"><a href="/openapi.json">openapi.json</a>${navigation.join('')}</nav>
<main>
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

function navigationItem({ method, path, operation }: Entry): string {
  const label = `${method} ${path}`;
  return `<li><a href="#${idOf(operation)}" title="${escapeHtml(label)}">${escapeHtml(operation.summary ?? label)}</a></li>`;
}

function article(entry: Entry, server: string): string {
  const { method, path, operation } = entry;
  const id = idOf(operation);
  const scope: unknown = operation['x-scope' as keyof typeof operation];
  const mark = typeof scope === 'string' ? `scope ${scope}` : 'no credential';
  return `<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${inline(operation.summary ?? '')}<span class="scope">${mark}</span></h3>
<p class="way"><span class="method">${method}</span> <a href="#${id}">${escapeHtml(path)}</a></p>
${operation.description === undefined ? '' : markdownToHtml(operation.description)}
${parameters(operation)}
${body(operation)}
${answers(operation)}
<h4>Example</h4>
<pre><code>${escapeHtml(curl(entry, server))}</code></pre>
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

function body(operation: oas31.OperationObject): string {
  const request = operation.requestBody;
  if (request === undefined || !('content' in request)) return '';
  const types = Object.keys(request.content).map((type) => `<code>${escapeHtml(type)}</code>`);
  return `<h4>Body: ${types.join(', ')}</h4>${schemaBlock(request.content)}`;
}

function answers(operation: oas31.OperationObject): string {
  const blocks = Object.entries(operation.responses ?? {}).map(([status, answer]) => {
    const { description, content } = answer as oas31.ResponseObject;
    const isFailure = !/^[123]/.test(status);
    const details = isFailure ? '' : schemaBlock(content ?? {});
    return `<h4>${status}: ${inline(description)}</h4>${details}`;
  });
  return blocks.join('\n');
}

function schemaBlock(content: oas31.ContentObject): string {
  const schema = content['application/json']?.schema;
  if (schema === undefined) return '';
  return `<pre><code>${escapeHtml(schemaText(schema))}</code></pre>`;
}

function schemas(document: OpenApiDocument): string {
  const entries = Object.entries(document.components?.schemas ?? {});
  const blocks = entries.map(
    ([name, schema]) => `<article id="schema-${escapeHtml(name)}">
<h3>${escapeHtml(name)}</h3>
<pre><code>${escapeHtml(schemaText(schema as ShownSchema))}</code></pre>
</article>`,
  );
  return entries.length === 0 ? '' : `<h2 id="schemas">Schemas</h2>${blocks.join('\n')}`;
}

/** A call to copy: braces stand for what the reader fills in. */
function curl({ method, path, operation }: Entry, server: string): string {
  const request = operation.requestBody;
  const content = request !== undefined && 'content' in request ? request.content : {};
  const json = content['application/json'];
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}'${server}${path}'`];
  if ((operation.security ?? []).length > 0) {
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
