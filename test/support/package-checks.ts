import { posix } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';

/**
 * Returns the faults of an .xlsx package by rules on which every reader relies: each relationship
 * leads to an existing part, each part has a content type and a relationship to it, each `r:id` is
 * one of its part's relationships.
 */
export function packageFaults(bytes: Uint8Array): string[] {
  const parts = new Parts(bytes);
  const reached = new Set(['[Content_Types].xml']);
  const faults: string[] = [];
  for (const name of parts.names.filter((one) => one.endsWith('.rels'))) {
    reached.add(name);
    faults.push(...linkFaults(parts, name, reached));
  }
  const lost = parts.names.filter((name) => !reached.has(name));
  return [...faults, ...lost.map((name) => `nothing leads to ${name}`), ...typeFaults(parts)];
}

class Parts {
  readonly #parts: Record<string, Uint8Array>;

  constructor(bytes: Uint8Array) {
    this.#parts = unzipSync(bytes);
  }

  get names(): string[] {
    return Object.keys(this.#parts);
  }

  has(name: string): boolean {
    return this.#parts[name] !== undefined;
  }

  text(name: string): string {
    return strFromU8(this.#parts[name] ?? new Uint8Array());
  }
}

function linkFaults(parts: Parts, name: string, reached: Set<string>): string[] {
  const folder = posix.dirname(posix.dirname(name));
  const source = posix.join(folder, posix.basename(name, '.rels'));
  const links = [...parts.text(name).matchAll(/<Relationship ([^>]*)\/>/gu)].map(([element]) => ({
    id: attributeOf(element, 'Id'),
    part: partOf(element, folder),
  }));
  const ids = links.map(({ id }) => id);
  const targets = links.flatMap(({ part }) => part ?? []);
  for (const part of targets) reached.add(part);
  const used = [...parts.text(source).matchAll(/\br:(?:id|embed|link)="([^"]*)"/gu)];
  return [
    ...(name === '_rels/.rels' || parts.has(source) ? [] : [`${name} is of no part`]),
    ...(new Set(ids).size === ids.length ? [] : [`${name} has an id twice`]),
    ...targets.filter((part) => !parts.has(part)).map((part) => `${name} leads to no ${part}`),
    ...used
      .filter(([, id = '']) => !ids.includes(id))
      .map(([, id = '']) => `${source} uses ${id}, which ${name} does not have`),
  ];
}

function attributeOf(element: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`, 'u').exec(element)?.[1] ?? '';
}

/** The part that a relationship leads to; undefined for an address outside. */
function partOf(element: string, folder: string): string | undefined {
  if (attributeOf(element, 'TargetMode') === 'External') return undefined;
  const target = attributeOf(element, 'Target');
  return target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
}

function typeFaults(parts: Parts): string[] {
  const types = parts.text('[Content_Types].xml');
  const isTyped = (name: string): boolean => {
    const ending = name.slice(name.lastIndexOf('.') + 1);
    return types.includes(`PartName="/${name}"`) || types.includes(`Extension="${ending}"`);
  };
  const untyped = parts.names.filter((name) => !isTyped(name) && name !== '[Content_Types].xml');
  const named = [...types.matchAll(/PartName="\/([^"]*)"/gu)].map(([, part = '']) => part);
  const missing = named.filter((part) => !parts.has(part));
  return [
    ...untyped.map((name) => `${name} has no content type`),
    ...missing.map((part) => `${part} has a content type and is not there`),
  ];
}
