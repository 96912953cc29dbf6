/** A JSON Schema as far as it is shown to people. */
export interface ShownSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ShownSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: ShownSchema | boolean;
  readonly items?: ShownSchema;
  readonly prefixItems?: readonly ShownSchema[];
  readonly oneOf?: readonly ShownSchema[];
  readonly anyOf?: readonly ShownSchema[];
  readonly allOf?: readonly ShownSchema[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly description?: string;
  readonly default?: unknown;
}

const depthMost = 6;

/** The schema as a type that a programmer reads at a glance, comments beside the members. */
export function schemaText(schema: ShownSchema, depth = 0): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const options = schema.oneOf ?? schema.anyOf;
  if (options !== undefined) return optionsText(options, depth);
  if (schema.type === 'array') return arrayText(schema, depth);
  if (schema.type === 'object') return objectText(schema, depth);
  return typeof schema.type === 'string' ? schema.type : (schema.type?.join(' | ') ?? 'any');
}

function optionsText(options: readonly ShownSchema[], depth: number): string {
  const texts = [...new Set(options.map((option) => schemaText(option, depth + 1)))];
  const isLong = texts.join(' | ').length > 70;
  return isLong
    ? texts.map((text) => `\n${indent(depth + 1)}| ${text}`).join('')
    : texts.join(' | ');
}

function arrayText(schema: ShownSchema, depth: number): string {
  if (schema.prefixItems !== undefined) {
    return `[${schema.prefixItems.map((item) => schemaText(item, depth)).join(', ')}]`;
  }
  const item = schema.items === undefined ? 'any' : schemaText(schema.items, depth);
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: ShownSchema, depth: number): string {
  const members = Object.entries(schema.properties ?? {});
  const rest = schema.additionalProperties;
  if (members.length === 0) {
    if (typeof rest !== 'object') return rest === false ? '{}' : 'object';
    return `{ [name]: ${schemaText(rest, depth + 1)} }`;
  }
  if (depth >= depthMost) return '{ … }';
  const lines = members.map(([name, member]) => {
    const mark = schema.required?.includes(name) === true ? '' : '?';
    const fallback = member.default === undefined ? '' : ` = ${JSON.stringify(member.default)}`;
    const comment = member.description === undefined ? '' : `  // ${member.description}`;
    const type = schemaText(member, depth + 1);
    return `${indent(depth + 1)}${name}${mark}: ${type}${fallback}${comment}`;
  });
  return `{\n${lines.join('\n')}\n${indent(depth)}}`;
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}
