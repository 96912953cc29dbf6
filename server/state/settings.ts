import type { Mutation } from '../model/mutation.ts';
import {
  sameSetting,
  settingDefaults,
  settingPaths,
  type SettingPath,
  type SettingValue,
} from '../model/settings.ts';
import { KeyedMap } from './keyed-map.ts';
import type { SectionEntry, StoredSection } from './tree/section.ts';

/** The settings of a branch: what differs from the defaults. */
export class Settings {
  #changed = new KeyedMap<SettingValue>();

  copy(): Settings {
    const copy = new Settings();
    copy.#changed = this.#changed.copy();
    return copy;
  }

  get(path: SettingPath): SettingValue {
    return this.#changed.get(path) ?? settingDefaults[path];
  }

  /** Answers what this means to the grid. */
  set(path: SettingPath, value: SettingValue): Mutation[] {
    if (sameSetting(value, settingDefaults[path])) this.#changed.delete(path);
    else this.#changed.set(path, value);
    return settingMutations(path, value);
  }

  all(): Record<SettingPath, SettingValue> {
    const all: Record<SettingPath, SettingValue> = { ...settingDefaults };
    for (const path of settingPaths) all[path] = this.get(path);
    return all;
  }

  *entries(): Generator<SectionEntry> {
    for (const path of settingPaths.toSorted()) {
      const value = this.#changed.get(path);
      if (value !== undefined) yield [path, value];
    }
  }

  static from({ entries }: StoredSection): Settings {
    const settings = new Settings();
    for (const [path, value] of entries) {
      settings.#changed.set(path, value as SettingValue);
    }
    return settings;
  }

  /** What tells a kernel of those that it knows. */
  mutations(): Mutation[] {
    return settingPaths.flatMap((path) => settingMutations(path, this.get(path)));
  }
}

function settingMutations(path: SettingPath, value: SettingValue): Mutation[] {
  if (path === 'dateSystem') return [{ kind: 'setting', name: 'date1904', value: value === 1904 }];
  if (path !== 'iteration.enabled') return [];
  return [{ kind: 'setting', name: 'iterate', value: value === true }];
}
