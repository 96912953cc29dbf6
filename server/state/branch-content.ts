import { LineTable, Looks, NamedStyles, SheetPropertyTable } from './structure/looks.ts';
import { NameTable } from './references/names.ts';
import { PolicyDocument } from './records/policy-document.ts';
import { Records } from './records/records.ts';
import { Settings } from './structure/settings.ts';
import type {
  Section,
  SectionWriting,
  StoredSection,
  WrittenSection,
} from './structure/section.ts';

type Parts = Pick<BranchContent, 'names' | 'settings' | 'looks' | 'policy' | 'records'>;

/** The content of a branch except its sheets and their cells. */
export class BranchContent {
  readonly names: NameTable;
  readonly settings: Settings;
  readonly looks: Looks;
  readonly policy: PolicyDocument;
  readonly records: Records;

  private constructor(parts: Parts) {
    this.names = parts.names;
    this.settings = parts.settings;
    this.looks = parts.looks;
    this.policy = parts.policy;
    this.records = parts.records;
  }

  static empty(): BranchContent {
    return BranchContent.restore(new Map());
  }

  static restore(sections: ReadonlyMap<string, StoredSection>): BranchContent {
    const stored = (name: string): StoredSection => sections.get(name) ?? nothing;
    return new BranchContent({
      names: NameTable.from(stored('names')),
      settings: Settings.from(stored('settings')),
      looks: new Looks(
        LineTable.from(stored('lines')),
        NamedStyles.from(stored('styles')),
        SheetPropertyTable.from(stored('sheetProperties')),
      ),
      policy: PolicyDocument.from(stored('policy').entries),
      records: Records.from(stored('records')),
    });
  }

  copy(): BranchContent {
    return new BranchContent({
      names: this.names.copy(),
      settings: this.settings.copy(),
      looks: this.looks.copy(),
      policy: this.policy.copy(),
      records: this.records.copy(),
    });
  }

  /** Returns the sections to store and to hash. */
  sections(writing: SectionWriting): Section[] {
    const { names, settings, looks, policy, records } = this;
    return [
      { name: 'lines', count: looks.lines.count, list: () => looks.lines.list() },
      section('names', { entries: () => names.entries(writing) }, () => names.structures(writing)),
      section('policy', policy),
      section('records', { entries: () => records.entries(writing) }, () =>
        records.structures(writing),
      ),
      section('settings', settings),
      section('sheetProperties', looks.properties),
      section('styles', looks.styles),
    ];
  }
}

const nothing: StoredSection = {
  entries: [],
  structureOf: () => {
    throw new Error('nothing names a structure');
  },
  formulaOf: () => {
    throw new Error('nothing has a formula');
  },
  formulaAt: () => {
    throw new Error('nothing has a formula');
  },
};

export function section(
  name: string,
  content: Pick<WrittenSection, 'entries'>,
  structures: WrittenSection['structures'] = () => [],
): WrittenSection {
  return { name, entries: () => content.entries(), structures };
}
