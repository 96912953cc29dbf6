import { createHash } from 'node:crypto';

import type { Mutation } from '../model/mutation.ts';
import {
  sameSetting,
  settingDefaults,
  settingPaths,
  type SettingPath,
  type SettingValue,
} from '../model/settings.ts';
import { KeyedMap } from './keyed-map.ts';

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
    if (path === 'dateSystem') {
      return [{ kind: 'setting', name: 'date1904', value: value === 1904 }];
    }
    if (path !== 'iteration.enabled') return [];
    return [{ kind: 'setting', name: 'iterate', value: value === true }];
  }

  all(): Record<SettingPath, SettingValue> {
    const all: Record<SettingPath, SettingValue> = { ...settingDefaults };
    for (const path of settingPaths) all[path] = this.get(path);
    return all;
  }

  digest(): string {
    const entries = [...this.#changed.sorted()];
    return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
  }
}
