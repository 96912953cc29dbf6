import {
  SETTING_DATE_1904,
  SETTING_ITERATE,
  SETTING_ITERATIONS,
  SETTING_ITERATION_CHANGE,
} from '../abi';
import { model } from '../grid/model';
import { refresh } from './relink';

/** Changes a setting of the calculation; returns false if the setting is unknown. */
export function changeSetting(setting: u32, value: f64): bool {
  const root = model();
  switch (setting) {
    case SETTING_DATE_1904:
      if (root.date1904 != <u32>value) {
        root.date1904 = <u32>value;
        refresh(0);
      }
      return true;
    case SETTING_ITERATE:
      if (root.iterates != <u32>value) {
        root.iterates = <u32>value;
        refresh(0);
      }
      return true;
    // With cycles everything is calculated anew after each edit, and this is an edit.
    case SETTING_ITERATIONS:
      root.iterationsMost = <u32>value;
      return true;
    case SETTING_ITERATION_CHANGE:
      root.iterationChangeLeast = value;
      return true;
    default:
      return false;
  }
}
