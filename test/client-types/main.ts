import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { needInstalled } from '../support/installed.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { root } from '../support/sources.ts';
import { hashOf, typedDocument } from './document.ts';

/**
 * Writes client/library/api.d.ts anew: `npm ci --prefix test/client-types && npm run client-types`.
 * Apart from the tests, since openapi-typescript wants another compiler than ours.
 */
needInstalled('test/client-types');
const tool = join(root, 'test/client-types/node_modules/openapi-typescript/bin/cli.js');

/** Output of the tool for parts not there, and for headers, which any answer may have. */
const never = /^\s*\w+\?: never;\n/gm;
const headers = /\n\s*headers: \{\s*\[name: string\]: unknown;\s*\};/g;
const emptyParameters = /\n\s*parameters: \{\s*\};/g;
const aliases = /^export type (webhooks|\$defs) = .*\n/gm;
/** The words of an operation again, which stand at its path. */
const repeatedWords =
  /^( +)\/\*\*(?:(?!\*\/)[^])*\*\/\n(?= +\w+: \{\n +(?:parameters|requestBody|responses))/gm;
const schemaOf = /components\["schemas"\]\["(\w+)"\]/g;
const parameterOf = /components\["parameters"\]\["(\w+)"\]/g;
const formats = /[ \t]*\/\*\* Format: [\w-]+ \*\/\n/g;
/** An object with one member and nothing said of it, which a line is enough for. */
const single = /\{\n\s*([^\n{}]+(?:\{ [^\n{}]+ \})?;)\n\s*\}/g;

function tidied(text: string): string {
  const short = text.slice(text.indexOf('export interface')).replaceAll(never, '');
  const bare = short.replaceAll(headers, '').replaceAll(emptyParameters, '');
  const halved = bare.replaceAll(aliases, '').replaceAll(formats, '');
  const once = halved.replaceAll(repeatedWords, '');
  const aliased = once.replaceAll(schemaOf, "Schemas['$1']");
  const shorter = inLines(aliased.replaceAll(parameterOf, "Parameters['$1']")).replaceAll(
    /^( +)/gm,
    (indent) => ' '.repeat(indent.length / 2),
  );
  return `type Schemas = components['schemas'];
type Parameters = components['parameters'];
${shorter}`;
}

/** Puts objects of one member in a line, from the inside, as long as there are such. */
function inLines(text: string): string {
  const shorter = text.replaceAll(single, '{ $1 }');
  return shorter === text ? text : inLines(shorter);
}

const folders: (() => unknown)[] = [];
const folder = await makeTemporaryFolder({ teardown: (end: () => unknown) => folders.push(end) });
const document = typedDocument();
const from = join(folder, 'openapi.json');
const to = join(folder, 'api.d.ts');
writeFileSync(from, JSON.stringify(document));
execFileSync(
  process.execPath,
  [tool, from, '-o', to, '--empty-objects-unknown', '--default-non-nullable=false'],
  {
    stdio: 'ignore',
  },
);
const head = `// Long because it is made: \`npm run client-types\` writes it from /openapi.json.
// SHA-256 of what it was made from: ${hashOf(document)}
`;
writeFileSync(join(root, 'client/library/api.d.ts'), head + tidied(readFileSync(to, 'utf8')));
for (const end of folders) await end();
