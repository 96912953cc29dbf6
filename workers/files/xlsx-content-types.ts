import { readXml, type XmlAttributes } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

const part = '[Content_Types].xml';

/** Content types of the parts of an archive, by name and by ending: ECMA-376 part 2, 10.1.2. */
export class ContentTypes {
  readonly #byName = new Map<string, string>();
  readonly #byEnding = new Map<string, string>();

  static read(zip: ZipEntries): ContentTypes {
    const types = new ContentTypes();
    if (!zip.has(part)) return types;
    readXml(zip, part, {
      open(name: string, attributes: XmlAttributes): void {
        const type = attributes['ContentType'] ?? '';
        const partName = attributes['PartName']?.replace(/^\//u, '').toLowerCase();
        const ending = attributes['Extension']?.toLowerCase();
        if (name === 'Override' && partName !== undefined) types.#byName.set(partName, type);
        if (name === 'Default' && ending !== undefined) types.#byEnding.set(ending, type);
      },
    });
    return types;
  }

  of(name: string): string | undefined {
    const lower = name.toLowerCase();
    return this.#byName.get(lower) ?? this.#byEnding.get(lower.slice(lower.lastIndexOf('.') + 1));
  }
}
