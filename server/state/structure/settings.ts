import type { Mutation } from '../../model/mutation.ts';
import {
  sameSetting,
  settingDefaults,
  settingPaths,
  type SettingPath,
  type SettingValue,
} from '../../model/settings.ts';
import { KeyedMap } from '../ids/keyed-map.ts';
import type { SectionEntry, StoredSection } from './section.ts';

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

  /** Sets a value; returns the mutations for a kernel. */
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

  /** Mutations that set, in a kernel, the settings that it knows. */
  mutations(): Mutation[] {
    return settingPaths.flatMap((path) => settingMutations(path, this.get(path)));
  }
}

function settingMutations(path: SettingPath, value: SettingValue): Mutation[] {
  if (path === 'dateSystem') return [{ kind: 'setting', name: 'date1904', value: value === 1904 }];
  if (path === 'iteration.enabled') {
    return [{ kind: 'setting', name: 'iterate', value: value === true }];
  }
  if (path === 'iteration.maxCount') {
    return [{ kind: 'setting', name: 'iterations', value: Number(value) }];
  }
  if (path !== 'iteration.maxChange') return [];
  return [{ kind: 'setting', name: 'iterationChange', value: Number(value) }];
}
